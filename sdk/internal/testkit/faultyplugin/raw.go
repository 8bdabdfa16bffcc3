package main

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// rawPlugin implements the wire protocol directly, like a plugin in another language. Its benchmark answers each sample
// with an empty payload.
type rawPlugin struct {
	pluginpb.UnimplementedPluginServer
	plugin.NetRPCUnsupportedPlugin
	changeAnswer rawAnswer
	tokens       bool           // it generates tokens
	work         *pluginpb.Work // report of its work in its heartbeats
	// changeBeat changes its heartbeats; nil means that they are correct.
	changeBeat func(h *pluginpb.Heartbeat, idle bool) *pluginpb.Heartbeat
	// misuse misuses a ring instead of answering; nil means that the plugin does not support rings.
	misuse ringMisuse
	// changeInfo changes the description of its workload; nil means no change.
	changeInfo func(*pluginpb.WorkloadInfo)
	lostCall   string // the call that it ignores
}

var _ plugin.GRPCPlugin = (*rawPlugin)(nil)

// rawAnswer determines how a plugin answers in the middle of a run. It may change the frame that answers the samples
// received so far, or return nil to send none.
type rawAnswer func(answer *pluginpb.RunResponse) *pluginpb.RunResponse

// heartbeatFaults contains the faults of heartbeats.
var heartbeatFaults = map[string]func(h *pluginpb.Heartbeat, idle bool) *pluginpb.Heartbeat{
	"silent-when-idle": func(h *pluginpb.Heartbeat, idle bool) *pluginpb.Heartbeat {
		if idle {
			return nil
		}
		return h
	},
	"counts-batches": func(h *pluginpb.Heartbeat, _ bool) *pluginpb.Heartbeat {
		h.Received, h.Answered = min(h.Received, 2), min(h.Answered, 2)
		return h
	},
	"counts-too-much": func(h *pluginpb.Heartbeat, _ bool) *pluginpb.Heartbeat {
		h.Answered++
		return h
	},
}

// openFaults contains the faults in the description of a workload.
var openFaults = map[string]func(*pluginpb.WorkloadInfo){
	"opens-endless": func(i *pluginpb.WorkloadInfo) { i.DatasetSize, i.PerformanceSampleCount = 1<<62, 1<<62 },
	"opens-parts":   func(i *pluginpb.WorkloadInfo) { i.Parts = slices.Repeat([]*pluginpb.PartReport{{}}, 4<<20) },
}

// lostCallPrefix is the prefix of the faults of a plugin that ignores a call and reports that it has none in progress.
const lostCallPrefix = "loses-"

// losableCalls lists the calls that can be ignored.
var losableCalls = []string{"open", "load", "unload", "warm-up", "close"}

// loseCall waits for the end of an ignored call.
func (r *rawPlugin) loseCall(ctx context.Context, call string) {
	if r.lostCall == call {
		<-ctx.Done()
	}
}

// idleProcess is the fault of a plugin whose heartbeats report a process that neither answers nor computes.
const idleProcess = "idle-process"

// idleWork returns that report.
func idleWork() *pluginpb.Work {
	none := int64(0)
	return &pluginpb.Work{Pending: []*pluginpb.Pending{{What: "the backend process's answer to Attach",
		Ns: int64(time.Minute), Pid: 1 << 25, UsedNs: &none}}}
}

// wireFaults contains the faults on the wire. They occur from the midRun-th frame on.
var wireFaults = map[string]rawAnswer{
	"none-raw": func(f *pluginpb.RunResponse) *pluginpb.RunResponse { return f },
	"twice": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Complete.Ids = append(f.Complete.Ids, f.Complete.Ids...)
		return f
	},
	"unknown": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Complete.Ids = append(f.Complete.Ids, 0xfe, 0xff, 0xff, 0xff)
		return f
	},
	// answers to samples that were not requested yet, and a second answer to the first sample
	"early": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		last := binary.LittleEndian.Uint32(f.Complete.Ids[len(f.Complete.Ids)-idBytes:])
		f.Complete.Ids = binary.LittleEndian.AppendUint32(f.Complete.Ids, last+1)
		return f
	},
	"again": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Complete.Ids = append(f.Complete.Ids, 0, 0, 0, 0)
		return f
	},
	"drop": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Complete.Ids = f.Complete.Ids[4:]
		return f
	},
	"ragged": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Complete.Ids = f.Complete.Ids[1:]
		return f
	},
	"wrong-sizes": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Complete.PayloadSize = 1 << 20
		return f
	},
	// no frames except heartbeats
	"mute":      func(*pluginpb.RunResponse) *pluginpb.RunResponse { return &pluginpb.RunResponse{} },
	"silent":    func(*pluginpb.RunResponse) *pluginpb.RunResponse { return nil },
	idleProcess: func(f *pluginpb.RunResponse) *pluginpb.RunResponse { return f },
	"hang-up":   func(*pluginpb.RunResponse) *pluginpb.RunResponse { panic(errHangUp) },
	"failure": func(*pluginpb.RunResponse) *pluginpb.RunResponse {
		return &pluginpb.RunResponse{Failure: &pluginpb.Failure{Code: 13, Message: "out of memory on the device"}}
	},
	"failure-long": func(*pluginpb.RunResponse) *pluginpb.RunResponse {
		return &pluginpb.RunResponse{Failure: &pluginpb.Failure{Code: 13, Message: strings.Repeat("x", longText)}}
	},
	"failure-long-data": func(*pluginpb.RunResponse) *pluginpb.RunResponse {
		return &pluginpb.RunResponse{Failure: &pluginpb.Failure{Code: 9, Message: strings.Repeat("x", longText)}}
	},
	"bomb": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Heartbeat = bombHeartbeat()
		return f
	},
	// many processes that neither answer nor compute
	"crowd": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		none, work := int64(0), &pluginpb.Work{}
		for i := range 100 {
			work.Pending = append(work.Pending, &pluginpb.Pending{What: "a friend", Ns: int64(time.Hour), Pid: int64(i + 1),
				UsedNs: &none})
		}
		f.Heartbeat = &pluginpb.Heartbeat{Work: work}
		return f
	},
	"no-calls": nil,
	// Faults of a plugin that generates tokens. Its frames contain the first token and the answer of each sample.
	"tokens-raw": func(f *pluginpb.RunResponse) *pluginpb.RunResponse { return f },
	"tokens-first-twice": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.FirstTokens.Ids = append(f.FirstTokens.Ids, f.FirstTokens.Ids...)
		return f
	},
	"tokens-no-first": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.FirstTokens = nil
		return f
	},
	"tokens-no-count": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Complete.TokenCounts = nil
		return f
	},
	"tokens-ragged": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.Complete.TokenCounts = f.Complete.TokenCounts[1:]
		return f
	},
	"tokens-unknown": func(f *pluginpb.RunResponse) *pluginpb.RunResponse {
		f.FirstTokens.Ids = append(f.FirstTokens.Ids, 0xfe, 0xff, 0xff, 0xff)
		return f
	},
}

// longText is the length of the texts in some faults.
const longText = 8 << 20

// bombHeartbeat returns a message of a few megabytes that takes hundreds of megabytes in memory.
func bombHeartbeat() *pluginpb.Heartbeat {
	return &pluginpb.Heartbeat{Work: &pluginpb.Work{Pending: slices.Repeat([]*pluginpb.Pending{{}}, 4<<20)}}
}

// workloadNumber is the number of the only workload.
const workloadNumber = 1

var errHangUp = errors.New("hangs up")

func serveRaw(r *rawPlugin) {
	osprocess.EndWithHarness()
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: wire.HandshakeConfig(),
		Plugins:         plugin.PluginSet{wire.Service: r},
		GRPCServer:      plugin.DefaultGRPCServer,
		Logger:          hclog.NewNullLogger(),
	})
}

func (r *rawPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	if r.changeAnswer != nil { // otherwise "no-calls": register no service
		pluginpb.RegisterPluginServer(s, r)
	}
	return nil
}

func (r *rawPlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.ErrUnsupported
}

func (r *rawPlugin) Describe(context.Context, *pluginpb.DescribeRequest) (*pluginpb.DescribeResponse, error) {
	return &pluginpb.DescribeResponse{
		Capabilities: []string{"ring", "a-capability-of-the-future"},
		Description: &pluginpb.Description{Name: "faulty", Models: []*pluginpb.Model{{Name: "faulty",
			Scenarios: []pluginpb.Scenario{
				pluginpb.Scenario_SCENARIO_SINGLE_STREAM, pluginpb.Scenario_SCENARIO_MULTI_STREAM,
				pluginpb.Scenario_SCENARIO_SERVER, pluginpb.Scenario_SCENARIO_OFFLINE,
			}}}},
	}, nil
}

func (r *rawPlugin) Open(ctx context.Context, _ *pluginpb.OpenRequest) (*pluginpb.OpenResponse, error) {
	r.loseCall(ctx, "open")
	const samples = 1024
	info := &pluginpb.WorkloadInfo{
		Model: "faulty", Dataset: "none", DatasetSize: samples, PerformanceSampleCount: samples, Backend: "none",
	}
	if r.changeInfo != nil {
		r.changeInfo(info)
	}
	return &pluginpb.OpenResponse{Workload: workloadNumber, Info: info}, nil
}

func (r *rawPlugin) LoadSamples(ctx context.Context, _ *pluginpb.SamplesRequest) (*pluginpb.SamplesResponse, error) {
	r.loseCall(ctx, "load")
	return &pluginpb.SamplesResponse{}, nil
}

func (r *rawPlugin) UnloadSamples(ctx context.Context, _ *pluginpb.SamplesRequest) (*pluginpb.SamplesResponse, error) {
	r.loseCall(ctx, "unload")
	return &pluginpb.SamplesResponse{}, nil
}

func (r *rawPlugin) WarmUp(ctx context.Context, _ *pluginpb.WarmUpRequest) (*pluginpb.WarmUpResponse, error) {
	r.loseCall(ctx, "warm-up")
	return &pluginpb.WarmUpResponse{}, nil
}

func (r *rawPlugin) Close(ctx context.Context, _ *pluginpb.CloseRequest) (*pluginpb.CloseResponse, error) {
	r.loseCall(ctx, "close")
	return &pluginpb.CloseResponse{}, nil
}
