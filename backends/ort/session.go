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

// ErrRun is wrapped by errors that ONNX Runtime reports for a run.
var ErrRun = errors.New("the run failed")

// ortSession is one loaded model. It has as many runners as concurrent runs.
type ortSession struct {
	core    *onnxruntime.DynamicAdvancedSession
	ports   sessionPorts
	binding *threadBinding // binding of every run; nil: none
	limits  backend.Limits
	info    backend.Info
	idle    chan *batchRunner
	all     []*batchRunner
	pools   []sync.Pool // pools of *outputBuffer, one for each output
	keep    tensorcache.Runs

	// unforeseen is set when an output had another shape than the model's named dimensions promised. From then on ONNX
	// Runtime allocates the outputs.
	unforeseen atomic.Bool

	closing sync.Once
	closed  chan struct{}
	err     error // result of closing
}

var (
	_ backend.Session     = (*ortSession)(nil)
	_ backend.Describer   = (*ortSession)(nil)
	_ backend.OutputCache = (*ortSession)(nil)
)

func newSession(core *onnxruntime.DynamicAdvancedSession, p sessionPorts, where *threadBinding, l backend.Limits,
	about backend.Info) (*ortSession, error) {
	s := &ortSession{
		core: core, ports: p, binding: where, limits: l, info: about,
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

// Describe describes how the session runs: the library, and in Details also provider, threads, inter_op and opt.
func (s *ortSession) Describe() backend.Info { return s.info }

// Run executes one batch. It waits while Limits().Concurrency runs are in progress. When ctx ends, the run stops after
// the current operator, and Run returns the context's cause.
//
// A session with a list of cores computes on them, whichever thread calls Run.
//
// A model with a fixed batch dimension also accepts smaller batches: Run pads them with zeros and shortens the outputs.
//
// An output without Data gets memory that Release returns to the session for later runs, even after Close.
//
// All sessions, including those of accelerators, keep tensors in the memory of this process and accept one another's
// tensors.
func (s *ortSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	return s.keep.Run(in, out, func(in, out []backend.Tensor) error { return s.runBatch(ctx, in, out) })
}

// CacheMemory returns the memory of this process.
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
	if s.binding != nil {
		if err := s.binding.enter(); err != nil {
			return err
		}
		defer s.binding.leave()
	}
	return r.runBatch(ctx, in, out)
}

// checkTensors checks the call's tensors against the model's inputs and outputs. The error lists every fault.
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
	if len(faults) == 0 && !s.ports.haveSameRows(in) {
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

// Close waits for the current runs and frees the model. It may be called more than once.
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
