package ort

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// batchRunner is the working memory of one Run at a time.
type batchRunner struct {
	s          *ortSession
	options    *onnxruntime.RunOptions
	terminated chan struct{} // receives an element when a terminate call has returned
	sizes      dimSizes
	in, out    []onnxruntime.Value
	results    []outputResult
	pin        runtime.Pinner
	padding    batchPadding
}

func newRunner(s *ortSession) (*batchRunner, error) {
	options, err := onnxruntime.NewRunOptions()
	if err != nil {
		return nil, err
	}
	return &batchRunner{
		s: s, options: options, terminated: make(chan struct{}, 1),
		in: make([]onnxruntime.Value, len(s.ports.in)), out: make([]onnxruntime.Value, len(s.ports.out)),
		results: make([]outputResult, len(s.ports.out)),
	}, nil
}

func (r *batchRunner) close() error { return r.options.Destroy() }

// runBatch executes one batch. Outputs whose shape the model's named dimensions determine are written into memory of
// this package. If such a shape is wrong, it runs again and lets ONNX Runtime allocate the outputs.
func (r *batchRunner) runBatch(ctx context.Context, in, out []backend.Tensor) error {
	foresee := !r.s.unforeseen.Load()
	err := r.tryRun(ctx, in, out, foresee)
	if !errors.Is(err, ErrRun) {
		return err
	}
	if !foresee || r.tryRun(ctx, in, out, false) != nil {
		return r.explainFailure(ctx, in, len(out), err)
	}
	r.s.unforeseen.Store(true)
	return nil
}

// explainFailure adds advice to the error of a run with several samples if the model can process the first one alone.
func (r *batchRunner) explainFailure(ctx context.Context, in []backend.Tensor, outputs int, failed error) error {
	rows := backend.Rows(in)
	if rows < 2 || r.s.ports.batch > 0 {
		return failed
	}
	one := make([]backend.Tensor, len(in))
	for i, t := range in {
		if len(t.Shape) == 0 || t.Shape[0] != int64(rows) {
			return failed
		}
		one[i] = t
		one[i].Shape = append([]int64{1}, t.Shape[1:]...)
		one[i].Data = t.Data[:len(t.Data)/rows]
	}
	out := make([]backend.Tensor, outputs)
	if r.tryRun(ctx, one, out, false) != nil {
		return failed
	}
	for i := range out {
		out[i].Release()
	}
	return modelError{fmt.Errorf("the model says that it takes any batch, fails with %d samples, and takes one: a size "+
		"of 1 "+
		"is fixed inside of it; run with a batch of 1 (--batch 1), or export it with a free batch size: %w", rows, failed)}
}

// modelError is an error that wraps backend.ErrModel without naming it, because the model was loaded.
type modelError struct{ error }

func (b modelError) Unwrap() []error { return []error{b.error, backend.ErrModel} }

func (r *batchRunner) tryRun(ctx context.Context, in, out []backend.Tensor, foresee bool) (err error) {
	defer r.clearValues()
	if err := r.bindInputs(in); err != nil {
		return err
	}
	if err := r.bindOutputs(out, foresee); err != nil {
		return err
	}
	if err := r.executeModel(ctx); err != nil {
		return err
	}
	return r.deliverOutputs(out)
}

func (r *batchRunner) bindInputs(in []backend.Tensor) error {
	r.sizes.reset()
	for i, t := range r.padding.padInputs(in, r.s.ports.batch) {
		p := r.s.ports.in[i]
		r.sizes.addShape(p.dims, t.Shape)
		v, err := r.newValue(t.DType, t.Shape, t.Data)
		if err != nil {
			return fmt.Errorf("input %q: %w", p.Name, err)
		}
		r.in[i] = v
	}
	return nil
}

// newValue creates an OrtValue of Go memory, which stays in place until clearValues.
func (r *batchRunner) newValue(d backend.DType, shape []int64, data []byte) (onnxruntime.Value, error) {
	if len(data) > 0 {
		r.pin.Pin(unsafe.SliceData(data))
	}
	return newValue(d, shape, data)
}

// executeModel runs the model and stops it when ctx ends.
func (r *batchRunner) executeModel(ctx context.Context) error {
	if ctx.Done() == nil {
		return runFault(r.s.core.RunWithOptions(r.in, r.out, nil))
	}
	stop := context.AfterFunc(ctx, r.terminate)
	err := r.s.core.RunWithOptions(r.in, r.out, r.options)
	if stop() {
		return runFault(err)
	}
	<-r.terminated
	if unset := r.options.UnsetTerminate(); unset != nil {
		return unset
	}
	if err != nil {
		return context.Cause(ctx)
	}
	return nil
}

func runFault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrRun, err)
}

func (r *batchRunner) terminate() {
	_ = r.options.Terminate() // fails only without options
	r.terminated <- struct{}{}
}

// clearValues destroys the OrtValues and releases their memory and that of undelivered outputs.
func (r *batchRunner) clearValues() {
	destroyValues(r.in)
	destroyValues(r.out)
	r.pin.Unpin()
	for i := range r.results {
		r.results[i].releaseMemory()
	}
}

func destroyValues(values []onnxruntime.Value) {
	for i, v := range values {
		if v != nil {
			_ = v.Destroy() // never fails for a tensor
			values[i] = nil
		}
	}
}
