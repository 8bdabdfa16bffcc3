package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/ring"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// pluginService implements pluginpb.PluginServer for one benchmark. It is the plugin's half of the wire.
type pluginService struct {
	pluginpb.UnimplementedPluginServer

	benchmark   sdk.Benchmark
	backends    backendRegistry
	description sdk.Description
	outbox      *answerOutbox
	monitor     *progressMonitor

	mu       sync.RWMutex // write-locked while a workload is opened or closed
	workload *openedWorkload
	opens    uint64 // number of opened workloads, which is the number of the last one
}

func newService(b sdk.Benchmark, r backendRegistry) *pluginService {
	return &pluginService{benchmark: b, backends: r, description: describeBenchmark(b, r), outbox: newOutbox(),
		monitor: newMonitor()}
}

func (s *pluginService) Describe(_ context.Context, r *pluginpb.DescribeRequest) (*pluginpb.DescribeResponse, error) {
	about := &pluginpb.DescribeResponse{
		Capabilities: serviceCapabilities(s.benchmark), Description: convert.To[*pluginpb.Description](s.description),
	}
	if r.GetBackends() {
		about.Backends = convert.To[[]*pluginpb.BackendInfo](s.backends.backendInfos())
	}
	return about, nil
}

// serviceCapabilities lists the capabilities that the first protocol version did not have.
func serviceCapabilities(b sdk.Benchmark) []string {
	all := []string{"tokens", "parts", wire.Devices, wire.Backends, wire.ScorePieces,
		wire.Exhibits}
	if worksOnDatasets(b) {
		all = append(all, wire.Dataset)
	}
	if ring.Supported {
		all = append(all, "ring")
	}
	return all
}

func (s *pluginService) Open(ctx context.Context, r *pluginpb.OpenRequest) (*pluginpb.OpenResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.workload != nil {
		return nil, status.Error(codes.Internal, "a workload is open: close it first")
	}
	s.opens++
	s.outbox.beginWorkload(s.opens)
	o := convert.To[sdk.Options](r)
	o.Scenario = max(o.Scenario, loadgen.SingleStream) // the default scenario
	w, err := s.setUpWorkload(s.monitor.watch.NewContext(ctx), o)
	if err == nil && ctx.Err() != nil { // the caller has gone
		err = errors.Join(context.Cause(ctx), w.close())
	}
	if err != nil {
		s.outbox.beginWorkload(0)
		printStack(err)
		return nil, toStatus(err, codes.FailedPrecondition)
	}
	s.workload = w
	return &pluginpb.OpenResponse{Info: convert.To[*pluginpb.WorkloadInfo](w.info), Workload: s.opens}, nil
}

// Close drops queued samples and waits for the batches in progress.
func (s *pluginService) Close(context.Context, *pluginpb.CloseRequest) (*pluginpb.CloseResponse, error) {
	r, err := s.closeWorkload()
	return r, toStatus(err, codes.Unknown)
}

// closeWorkload closes the workload and returns the final facts: the backend's description, the share of each device,
// and the work at the client.
func (s *pluginService) closeWorkload() (r *pluginpb.CloseResponse, err error) {
	defer batch.RecoverPanic(&err, func() string { return "Close" })
	s.stopWork()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.workload
	if w == nil {
		return &pluginpb.CloseResponse{}, nil
	}
	s.workload = nil
	defer s.outbox.beginWorkload(0)
	w.scheduler.Close() // batches in progress count
	r = &pluginpb.CloseResponse{
		BackendInfo: w.engineDetails(), Shares: convert.To[[]*pluginpb.Share](deviceShares(w.engine)),
		ClientWork: w.clientWork(),
	}
	if b := w.batchingReport(); len(b.Sizes) > 0 || b.Waiting.Count+b.Model.Count > 0 {
		r.Batching = convert.To[*pluginpb.Batching](b)
	}
	if m, ok := sdk.As[sdk.Noter](w.workload); ok {
		remarks := m.RunNotes()
		r.Notes, r.Estimates = remarks.Notes, remarks.Estimates
	}
	if err := w.close(); err != nil {
		r.Fault = sanitizeText(err.Error())
	}
	return r, nil
}

// stopWork ends the work, so goroutines that wait for room in the queue release the workload.
func (s *pluginService) stopWork() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.workload != nil {
		s.workload.scheduler.Stop()
	}
}

// withWorkload calls f with the open workload and keeps the workload open during the call.
func (s *pluginService) withWorkload(f func(w *openedWorkload) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.workload == nil {
		return status.Error(codes.Internal, "no workload is open")
	}
	return f(s.workload)
}

func (s *pluginService) LoadSamples(ctx context.Context, r *pluginpb.SamplesRequest) (*pluginpb.SamplesResponse,
	error) {
	indices, err := wire.Words[loadgen.SampleIndex]("samples to load", r.GetIndices())
	if err == nil {
		err = s.withWorkload(func(w *openedWorkload) error { return w.loadSamples(ctx, indices) })
	}
	printStack(err)
	return &pluginpb.SamplesResponse{}, toStatus(err, codes.FailedPrecondition)
}

func (s *pluginService) UnloadSamples(_ context.Context, r *pluginpb.SamplesRequest) (*pluginpb.SamplesResponse,
	error) {
	indices, err := wire.Words[loadgen.SampleIndex]("samples to unload", r.GetIndices())
	if err == nil {
		err = s.withWorkload(func(w *openedWorkload) error { return w.library.Unload(indices) })
	}
	return &pluginpb.SamplesResponse{}, toStatus(err, codes.Unknown)
}

// NodeNames requests the names of the nodes at each call and does not store them.
func (s *pluginService) NodeNames(ctx context.Context, _ *pluginpb.NodeNamesRequest) (*pluginpb.NodeNamesResponse,
	error) {
	var names []string
	err := s.withWorkload(func(w *openedWorkload) (err error) {
		names, err = nodeNames(ctx, w.network.nodes)
		return err
	})
	return &pluginpb.NodeNamesResponse{Names: names}, toStatus(err, codes.Unknown)
}

func (s *pluginService) WarmUp(ctx context.Context, _ *pluginpb.WarmUpRequest) (*pluginpb.WarmUpResponse, error) {
	err := s.withWorkload(func(w *openedWorkload) error { return w.warmUp(s.monitor.watch.NewContext(ctx)) })
	printStack(err)
	return &pluginpb.WarmUpResponse{}, toStatus(err, codes.Unknown)
}

// Run reads frames until the harness closes its half.
func (s *pluginService) Run(stream runStream) (err error) {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	way, err := acceptRing(stream, first.GetStart())
	if err != nil {
		return err
	}
	defer func() {
		if closing := way.close(); err == nil { // a status must not be wrapped
			err = closing
		}
	}()
	if err := s.outbox.connectStream(way.Send); err != nil {
		return err
	}
	defer s.outbox.disconnectStream()
	go s.sendHeartbeats(stream.Context(), time.Duration(first.GetStart().GetHeartbeatNs()))
	return way.receive(s.handleFrame, s.hasOneQuery)
}

// hasOneQuery reports whether the open workload has only one query at a time.
func (s *pluginService) hasOneQuery() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.workload != nil && (s.workload.policy.Inline || s.workload.policy.Split)
}

// sendHeartbeats sends heartbeats until ctx ends.
func (s *pluginService) sendHeartbeats(ctx context.Context, every time.Duration) {
	if every <= 0 {
		every = wire.Heartbeat
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.outbox.addHeartbeat(s.monitor.reportWork())
		}
	}
}

// handleFrame handles one frame of the harness.
func (s *pluginService) handleFrame(f *pluginpb.RunRequest) error {
	samples, err := wire.Samples(f.GetIssue().GetSamples())
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.workload == nil || f.GetWorkload() != s.opens {
		return nil // its workload was closed in the meantime
	}
	s.outbox.received.Add(uint64(len(samples)))
	s.workload.scheduler.Submit(samples, f.GetIssue().GetMore())
	if f.GetFlush() != nil {
		s.workload.scheduler.Flush()
	}
	return nil
}

// printStack prints the stack of a panic to the standard error output, which the harness keeps.
func printStack(err error) {
	var p *batch.PanicError
	if errors.As(err, &p) {
		fmt.Fprintf(os.Stderr, "%v\n%s", p, p.Stack)
	}
}
