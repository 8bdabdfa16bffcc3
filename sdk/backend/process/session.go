package process

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// sharedMemory is the capability of a process that maps regions.
const sharedMemory = "shared-memory"

// deviceChoice is the capability of a process that uses OpenRequest.device.
const deviceChoice = "device"

// requestIDs is the capability of a process whose answers name their requests.
const requestIDs = "request-ids"

// processSession is a model in a backend process.
type processSession struct {
	child           *childProcess
	options         processOptions
	number          uint32 // number of the model in the process
	response        *backendpb.OpenResponse
	inputs, outputs []backend.TensorInfo
	named           bool                   // answers name their requests
	shared          bool                   // try to use regions
	unshared        atomic.Pointer[string] // why tensors go through the stream although shared is true; nil: they do not

	ctx        context.Context // lifetime of the streams
	cancel     context.CancelFunc
	lanes      chan *clientLane // idle lanes without a stage
	stages     stageSet
	closeOnce  sync.Once
	closeError error     // result of Close
	memory     sync.Pool // of *[]byte: outputs
}

func (s *processSession) Inputs() []backend.TensorInfo  { return s.inputs }
func (s *processSession) Outputs() []backend.TensorInfo { return s.outputs }

// Limits returns the process's limits. If a model has a fixed batch size, that size is the maximum, even if the process
// does not report it.
func (s *processSession) Limits() backend.Limits {
	r := s.response
	l := backend.Limits{Concurrency: int(r.Concurrency), PreferredBatch: int(r.PreferredBatch), MaxBatch: int(r.MaxBatch)}
	if n := fixedBatch(s.inputs); n > 0 && (l.MaxBatch == 0 || n < l.MaxBatch) {
		l.PreferredBatch, l.MaxBatch = n, n
	}
	return l
}

// fixedBatch returns the first dimension of all inputs if it is the same fixed number, otherwise 0.
func fixedBatch(inputs []backend.TensorInfo) int {
	n := int64(0)
	for i, t := range inputs {
		if len(t.Shape) == 0 || t.Shape[0] <= 0 || i > 0 && t.Shape[0] != n {
			return 0
		}
		n = t.Shape[0]
	}
	return int(n)
}

// Describe returns the description that the process gives of itself.
func (s *processSession) Describe() backend.Info {
	details := maps.Clone(s.response.Details)
	if details == nil {
		details = map[string]string{}
	}
	details["command"] = s.child.command
	details["tensors"] = s.transportText()
	return backend.Info{Version: s.response.Version, Devices: s.response.Devices, Details: details}
}

// transportText describes how tensors reached the process in the batches so far.
func (s *processSession) transportText() string {
	if !s.shared {
		return "stream"
	}
	if why := s.unshared.Load(); why != nil {
		return "stream: " + *why
	}
	return "shared memory"
}

// Run runs a batch on an idle lane. If ctx ends first, the batch continues in the process, and the lane becomes idle
// when it is done.
func (s *processSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.checkTensors(in, out); err != nil {
		return err
	}
	select {
	case l := <-s.lanesFor(in):
		return l.runBatch(ctx, in, out)
	case <-ctx.Done():
		return ctx.Err()
	case <-s.ctx.Done():
		return errors.New("the backend process: the session is closed")
	}
}

// lanesFor returns the channel of the idle lanes for a batch. A stage whose last outputs are in use cannot take the
// batch.
func (s *processSession) lanesFor(in []backend.Tensor) chan *clientLane {
	if g := s.stages.findStage(in); g != nil && g.unreleased.Load() == 0 {
		return g.lane.idleLanes
	}
	return s.lanes
}

// Close closes the session, and ends the process with its last session. No Run may be in progress.
func (s *processSession) Close() error {
	s.closeOnce.Do(func() {
		s.cancel()
		s.closeError = s.child.closeSession()
		for range cap(s.lanes) {
			(<-s.lanes).close()
		}
		for _, g := range s.stages.allStages() {
			(<-g.lane.idleLanes).close()
		}
	})
	return s.closeError
}

// outputBuffer returns n bytes for an output, and the function that frees them.
func (s *processSession) outputBuffer(n int) ([]byte, func()) {
	b, _ := s.memory.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	if cap(*b) < n {
		*b = make([]byte, n)
	}
	return (*b)[:n], func() { s.memory.Put(b) }
}
