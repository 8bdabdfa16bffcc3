package ort

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// outputResult is one output of the current run.
type outputResult struct {
	data         []byte       // memory of the output; nil while ONNX Runtime allocates it
	shape        []int64      // set if data is set
	lease        *bufferLease // lease of data, if it is the session's memory
	callerMemory bool         // data is the caller's memory
}

// releaseMemory returns memory that was not delivered.
func (o *outputResult) releaseMemory() {
	if o.lease != nil {
		o.lease.release()
	}
	*o = outputResult{shape: o.shape[:0]}
}

// bindOutputs assigns memory to every output whose shape is known.
func (r *batchRunner) bindOutputs(out []backend.Tensor, foresee bool) error {
	for i := range out {
		p, o := r.s.ports.out[i], &r.results[i]
		known := r.shapeOf(p, out[i], o, foresee)
		if !known {
			if needsKnownShape(p) {
				return fmt.Errorf("output %q is %v%s: the binding reads this type into memory of a known size only; give the "+
					"output a shape, or export the model with named dimensions",
					p.Name, p.DType, backend.ShapeString(p.Shape))
			}
			continue
		}
		if err := r.bindOutput(i, p, out[i].Data, o); err != nil {
			return err
		}
	}
	return nil
}

// shapeOf determines an output's shape, from the sizes of the inputs' named dimensions or from the caller's tensor. It
// reports whether the shape is known.
func (r *batchRunner) shapeOf(p boundPort, t backend.Tensor, o *outputResult, foresee bool) (known bool) {
	if !foresee && !needsKnownShape(p) {
		return false
	}
	o.shape, known = r.sizes.resolveShape(o.shape[:0], p.dims)
	if !known && needsKnownShape(p) {
		o.shape, known = r.sizes.resolveShape(o.shape[:0], r.sizes.withBatch(p.dims))
	}
	if !known && len(t.Data) > 0 && shapeFits(p.Shape, t.Shape) {
		o.shape, known = append(o.shape[:0], t.Shape...), true
	}
	return known
}

// needsKnownShape reports whether the binding cannot read an output that ONNX Runtime allocated. For a type that Go
// lacks, it copies one byte per element, and it rejects tensors of rank 0.
func needsKnownShape(p boundPort) bool {
	return p.DType == backend.Float16 || p.DType == backend.BFloat16 || len(p.dims) == 0
}

func (r *batchRunner) bindOutput(i int, p boundPort, given []byte, o *outputResult) error {
	n, ok := byteSize(p.DType, o.shape)
	if !ok {
		return fmt.Errorf("output %q: shape %s is too large", p.Name, backend.ShapeString(o.shape))
	}
	switch {
	case len(given) == 0 || r.padding.rows > 0:
		o.lease = newLease(&r.s.pools[i], n)
		o.data = o.lease.buffer.data[:n]
	case len(given) < n:
		return noRoomError(p, n, len(given))
	default:
		o.data, o.callerMemory = given[:n], true
	}
	v, err := r.newValue(p.DType, o.shape, o.data)
	if err != nil {
		return fmt.Errorf("output %q: %w", p.Name, err)
	}
	r.out[i] = v
	return nil
}

func noRoomError(p boundPort, need, have int) error {
	return fmt.Errorf("%w: output %q takes %d bytes, its tensor has room for %d", backend.ErrTensors, p.Name, need, have)
}

// deliverOutputs stores the outputs in the caller's tensors.
func (r *batchRunner) deliverOutputs(out []backend.Tensor) error {
	for i := range out {
		if err := r.collectOutput(i, out[i].Data); err != nil {
			return err
		}
	}
	for i := range out {
		t, o := &out[i], &r.results[i]
		t.Name, t.DType = r.s.ports.out[i].Name, r.s.ports.out[i].DType
		t.Shape = append(t.Shape[:0], o.shape...)
		if len(t.Data) == 0 {
			t.Free = nil
			if o.lease != nil {
				t.Free, o.lease = o.lease.release, nil
			}
		}
		t.Data = o.data
	}
	return nil
}

// collectOutput completes the result of one output.
func (r *batchRunner) collectOutput(i int, given []byte) error {
	p, o := r.s.ports.out[i], &r.results[i]
	if !o.readValue(r.out[i], p.DType) {
		return fmt.Errorf("output %q: the binding cannot read it as %v", p.Name, p.DType)
	}
	r.padding.cutRows(o)
	if len(given) == 0 || o.callerMemory {
		return nil
	}
	if len(given) < len(o.data) {
		return noRoomError(p, len(o.data), len(given))
	}
	o.data = given[:copy(given, o.data)]
	return nil
}

// readValue copies an output that was not written in place: a scalar, or one that ONNX Runtime allocated.
func (o *outputResult) readValue(v onnxruntime.Value, d backend.DType) (ok bool) {
	if s, ok := v.(interface{ store(dst []byte) }); ok {
		s.store(o.data)
		return true
	}
	if read := elementTypes[d].bytes; o.data == nil && read != nil {
		o.data, o.shape = read(v), append(o.shape[:0], v.GetShape()...)
	}
	return o.data != nil
}

// outputBuffer is memory for one output. It alternates between the session's pool and the caller.
type outputBuffer struct{ data []byte }

// bufferLease is one use of a buffer. Copies of a tensor share it, so that a second Release cannot free the buffer of
// the next user.
type bufferLease struct {
	pool   *sync.Pool
	buffer *outputBuffer
	over   atomic.Bool
}

func newLease(pool *sync.Pool, n int) *bufferLease {
	b, ok := pool.Get().(*outputBuffer)
	if !ok {
		b = &outputBuffer{}
	}
	if b.data == nil || cap(b.data) < n {
		b.data = make([]byte, n)
	}
	return &bufferLease{pool: pool, buffer: b}
}

func (l *bufferLease) release() {
	if !l.over.Swap(true) {
		l.pool.Put(l.buffer)
	}
}
