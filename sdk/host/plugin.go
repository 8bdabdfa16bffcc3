package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	plugin "github.com/hashicorp/go-plugin"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// Plugin is a running plugin process. Its methods may be called from any goroutine.
type Plugin struct {
	name, path string
	options    LaunchOptions
	folder     *privateFolder // contains the socket
	output     *pluginOutput
	process    *pluginProcess
	client     *plugin.Client
	rpc        pluginpb.PluginClient
	ring       *sharedRing // offered to the process; nil: none
	link       *pluginLink
	frames     atomic.Uint64 // number of received frames
	calls      callCounter   // calls that LaunchOptions.AnswerTimeout limits
	unary      callCounter   // all unary calls
	received   chan struct{} // closed when all frames of the process are received
	sending    sync.Mutex    // held while a frame is sent, because gRPC and a ring allow only one Send at a time

	// failed ends when the plugin fails, with a *PluginError as its cause, or when it is closed, with errClosed.
	failed context.Context
	fail   context.CancelCauseFunc

	closing sync.Once
	closed  error
}

// errClosed is the cause of the end of a closed plugin.
var errClosed = errors.New("the plugin is closed")

// Describe returns the plugin's description.
func (p *Plugin) Describe(ctx context.Context) (sdk.Description, error) {
	r, err := callUnary(ctx, p, "describe", p.rpc.Describe, &pluginpb.DescribeRequest{})
	if err != nil {
		return sdk.Description{}, err
	}
	return convert.To[sdk.Description](r.GetDescription()).WithRoles(), nil
}

// Open opens a workload in the plugin. A plugin holds one workload at a time.
//
// errors.Is distinguishes errors that the user can fix from the plugin's own failures: sdk.ErrUsage is an unknown
// model, backend or option; sdk.ErrData is a missing or wrong data set or model file. All other errors are of type
// *PluginError.
func (p *Plugin) Open(ctx context.Context, o sdk.Options) (*Workload, error) {
	if err := checkOptions(o); err != nil {
		return nil, err
	}
	if err := p.requireDevices(ctx, o.Devices); err != nil {
		return nil, err
	}
	r, err := watchedCall(ctx, p, "open", p.rpc.Open, convert.To[*pluginpb.OpenRequest](o))
	if err != nil {
		return nil, err
	}
	info := convert.To[sdk.WorkloadInfo](r.GetInfo())
	if fault := checkOpenAnswer(r.GetWorkload(), info); fault != "" {
		return nil, p.newFailure(KindProtocol, nil, "its answer to Open makes no sense: "+fault, faultHint)
	}
	return newWorkload(p, r.GetWorkload(), info, o.Scenario, o.Network), nil
}

// maxSamples is larger than any data set. LoadGen keeps a few bytes for each sample.
const maxSamples = 1 << 28

// checkOpenAnswer describes values in a plugin's answer to Open that make runs impossible, or returns "". For example,
// both sides drop frames of a workload without a number.
func checkOpenAnswer(number uint64, info sdk.WorkloadInfo) string {
	var faults []string
	for _, f := range []struct {
		field string
		value int
	}{
		{"workload", int(min(number, 1))}, {"info.dataset_size", info.DatasetSize}, {"info.performance_sample_count",
			info.PerformanceSampleCount},
	} {
		if f.value < 1 {
			faults = append(faults, fmt.Sprintf("%s is %d, want 1 at least", f.field, f.value))
		}
		if f.value > maxSamples {
			faults = append(faults, fmt.Sprintf("%s is %d, want %d at most", f.field, f.value, maxSamples))
		}
	}
	for k, i := range info.Order {
		if i < 0 || i >= int64(info.DatasetSize) {
			faults = append(faults, fmt.Sprintf("info.order[%d] is %d, want a sample of the data set, 0 to %d", k, i,
				info.DatasetSize-1))
			break
		}
	}
	return strings.Join(faults, "; ")
}

// Context returns a context that ends with parent, or when the plugin fails, with a *PluginError as its cause.
func (p *Plugin) Context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	if p.failed.Err() != nil { // synchronously, because a call might be answered before AfterFunc's goroutine runs
		cancel(context.Cause(p.failed))
	}
	stop := context.AfterFunc(p.failed, func() { cancel(context.Cause(p.failed)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// StderrTail returns the last lines that the plugin printed.
func (p *Plugin) StderrTail() []string { return p.output.lastLines() }

// PID returns the id of the plugin's process, which leads its own process group.
func (p *Plugin) PID() int { return p.process.cmd.Process.Pid }

// Close ends the process and every process it started. It first requests the end, then kills. It may be called more
// than once.
func (p *Plugin) Close() error {
	p.closing.Do(func() {
		healthy := p.failed.Err() == nil
		p.fail(errClosed)
		if healthy {
			p.askToFinish()
		}
		p.process.endProcess(p.client.Kill)
		p.closed = p.ring.unmapRing(&p.sending)
		if err := p.folder.close(); err != nil {
			p.closed = errors.Join(p.closed, fmt.Errorf("plugin %s: remove its private folder: %w", p.name, err))
		}
	})
	return p.closed
}

// Kill kills every process of the plugin immediately and does not wait. It is for a harness that is about to exit.
// Close may follow.
func (p *Plugin) Kill() {
	p.fail(errClosed)
	p.process.signalGroup(killGroup)
	_ = p.folder.close()
}

// askToFinish asks the plugin to finish its current work and to close its workload.
func (p *Plugin) askToFinish() {
	ctx, cancel := context.WithTimeout(context.Background(), p.options.CloseTimeout)
	defer cancel()
	if _, err := p.rpc.Close(ctx, &pluginpb.CloseRequest{}); err != nil {
		p.process.signalGroup(endGroup)
	}
}

// failWith ends the plugin's context with a failure. Only the first failure has an effect.
func (p *Plugin) failWith(kind FailureKind, err error, found, hint string) {
	p.fail(p.newFailure(kind, err, found, hint))
}

// maxMessageText is the maximum size of a plugin's text about a failure in a message.
const maxMessageText = 16 << 10

// messageText returns a plugin's text about a failure for a message: cut and without secrets.
func (p *Plugin) messageText(text string) string {
	return cutText(p.options.hideSecrets(text), maxMessageText)
}

func (p *Plugin) newFailure(kind FailureKind, err error, found, hint string) *PluginError {
	found = p.messageText(found)
	tail := p.output.lastLines()
	if repeatsLines(found, tail) {
		tail = nil
	}
	return &PluginError{Kind: kind, Plugin: p.name, Path: p.path, Found: found, Hint: hint, Stderr: tail, Err: err}
}

// Limits, as numbers of checks, of the time for the last frames of a process that has ended. Its connection ends with
// it, unless another process keeps it open.
const (
	restQuiet = 20
	restLimit = 600
)

// watchProcess reports a process that ends without a request. Its earlier answers count.
func (p *Plugin) watchProcess() {
	<-p.process.exited
	awaitQuiet(p.received, p.frames.Load, restQuiet, restLimit)
	how := p.process.exitText()
	p.failWith(KindDied, nil, "the process "+how, deathHint(how, p.output.lastLines()))
}
