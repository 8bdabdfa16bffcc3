package ort

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/tensorcache"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("the session is closed")

// ErrRun is in the chain of an error that ONNX Runtime itself reports of a run.
var ErrRun = errors.New("the run failed")

// ortSession is one loaded model, shared by as many runners as there may be runs at a time.
type ortSession struct {
	core   *onnxruntime.DynamicAdvancedSession
	ports  sessionPorts
	where  *binding // of every run; nil: anywhere
	limits backend.Limits
	info   backend.Info
	idle   chan *batchRunner
	all    []*batchRunner
	pools  []sync.Pool // of *buffer, one for each output
	keep   tensorcache.Runs

	// unforeseen is set once an output had another shape than the model's named dimensions promised: from then on
	// ONNX Runtime allocates the outputs.
	unforeseen atomic.Bool

	closing sync.Once
	closed  chan struct{}
	err     error // of closing
}

var (
	_ backend.Session     = (*ortSession)(nil)
	_ backend.Describer   = (*ortSession)(nil)
	_ backend.OutputCache = (*ortSession)(nil)
)

func newSession(core *onnxruntime.DynamicAdvancedSession, p sessionPorts, where *binding, l backend.Limits,
	about backend.Info) (*ortSession, error) {
	s := &ortSession{
		core: core, ports: p, where: where, limits: l, info: about,
		idle: make(chan *batchRunner, l.Concurrency), closed: make(chan struct{}), pools: make([]sync.Pool, len(p.out)),
	}
	for range l.Concurrency {
		r, err := newRunner(s)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.all = append(s.all, r)
		s.idle <- r
	}
	return s, nil
}

func (s *ortSession) Inputs() []backend.TensorInfo  { return tensorInfos(s.ports.in) }
func (s *ortSession) Outputs() []backend.TensorInfo { return tensorInfos(s.ports.out) }
func (s *ortSession) Limits() backend.Limits        { return s.limits }

// Describe says on what the session runs: the library, and in Details also provider, threads, inter_op and opt.
func (s *ortSession) Describe() backend.Info { return s.info }

// Run executes one batch. It waits while as many runs as Limits().Concurrency are under way. When ctx ends, the run
// stops behind the operator that it is at, and Run returns the context's cause.
//
// A session on a list of cores computes there, whichever thread calls.
//
// A model whose batch dimension is fixed also takes smaller batches: Run fills them up with zeros and cuts the outputs.
//
// An output that comes without Data gets memory that Release returns to the session for its next
// runs, also after Close.
//
// All sessions keep tensors in the memory of this process, those of accelerators too, and take one another's.
func (s *ortSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	return s.keep.Run(in, out, func(in, out []backend.Tensor) error { return s.runBatch(ctx, in, out) })
}

// CacheMemory is the memory of this process.
func (s *ortSession) CacheMemory() any { return tensorcache.Memory{} }

// runBatch executes a batch whose inputs have Data.
func (s *ortSession) runBatch(ctx context.Context, in, out []backend.Tensor) error {
	if err := s.checkTensors(in, out); err != nil {
		return err
	}
	r, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { s.idle <- r }()
	if s.where != nil {
		if err := s.where.enter(); err != nil {
			return err
		}
		defer s.where.leave()
	}
	return r.runBatch(ctx, in, out)
}

// checkTensors compares the call with the model's inputs and outputs, and reports every fault.
func (s *ortSession) checkTensors(in, out []backend.Tensor) error {
	if len(in) != len(s.ports.in) || len(out) != len(s.ports.out) {
		return fmt.Errorf("%w: run with %d inputs and %d outputs, want %d and %d",
			backend.ErrTensors, len(in), len(out), len(s.ports.in), len(s.ports.out))
	}
	var faults []error
	for i, t := range in {
		if err := s.ports.checkInput(i, t); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) == 0 && !s.ports.sameRows(in) {
		return fmt.Errorf("%w: the inputs have different batch sizes", backend.ErrTensors)
	}
	return errors.Join(faults...)
}

func (s *ortSession) acquire(ctx context.Context) (*batchRunner, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	select {
	case <-s.closed:
		return nil, ErrClosed
	default:
	}
	select {
	case r := <-s.idle:
		return r, nil
	case <-s.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close waits for the runs under way and frees the model. It may be called more than once.
func (s *ortSession) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		for range s.all {
			s.err = errors.Join(s.err, (<-s.idle).close())
		}
		s.err = errors.Join(s.err, s.core.Destroy())
	})
	return s.err
}
