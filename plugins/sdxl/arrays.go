package sdxl

import (
	"errors"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is wrapped by every error about a part's output.
var errOutput = errors.New("a part of the model gives what the benchmark cannot use")

// numberFormat returns the number format of a tensor's type.
func numberFormat(d backend.DType) half.Format {
	switch d {
	case backend.Float16:
		return half.Float16
	case backend.BFloat16:
		return half.BFloat16
	}
	return half.Float32
}

// copyDense copies an output that must have dims dimensions.
func copyDense(t *backend.Tensor, dims int) (*tensor.Dense, error) {
	d := t.DType
	if !slices.Contains([]backend.DType{backend.Float32, backend.Float16, backend.BFloat16}, d) || len(t.Shape) != dims {
		return nil, fmt.Errorf("%w: %q is %v%s, want floats of %d dimensions", errOutput, t.Name, d,
			backend.ShapeString(t.Shape), dims)
	}
	n := backend.Elements(t.Shape)
	if int64(len(t.Data)) != n*int64(d.Size()) || n == 0 {
		return nil, fmt.Errorf("%w: %q has %d bytes for %v%s", errOutput, t.Name, len(t.Data), d,
			backend.ShapeString(t.Shape))
	}
	values := make([]float32, n)
	if d == backend.Float32 {
		copy(values, backend.View[float32](t.Data))
	} else {
		numberFormat(d).Decode(values, t.Data)
	}
	shape := make([]int, len(t.Shape))
	for i, n := range t.Shape {
		shape[i] = int(n)
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values)), nil
}

// outputTensor returns a tensor for an output of a session. A 16-bit output of known size gets memory, because some
// backends write such outputs only into the caller's memory.
func outputTensor(info backend.TensorInfo, shape ...int64) backend.Tensor {
	if info.DType != backend.Float16 && info.DType != backend.BFloat16 || slices.Min(shape) < 0 {
		return backend.Tensor{}
	}
	return backend.Tensor{Name: info.Name, DType: info.DType, Shape: shape,
		Data: make([]byte, backend.Elements(shape)*int64(info.DType.Size()))}
}

// inputFeed contains memory for an input of a session. float32 inputs are passed without copying and need none.
type inputFeed struct {
	info  backend.TensorInfo
	bytes []byte
	shape []int64
}

// toInput returns a tensor in the session's input type. It refers to the memory of t or of the feed until the next
// call.
func (f *inputFeed) toInput(t *tensor.Dense) backend.Tensor {
	f.shape = f.shape[:0]
	for _, n := range t.Shape() {
		f.shape = append(f.shape, int64(n))
	}
	in := backend.Tensor{Name: f.info.Name, DType: f.info.DType, Shape: f.shape}
	values := t.Data().([]float32)
	if f.info.DType == backend.Float32 {
		in.Data = backend.Bytes(values)
		return in
	}
	f.bytes = slices.Grow(f.bytes[:0], 2*len(values))[:2*len(values)]
	numberFormat(f.info.DType).Encode(f.bytes, values)
	in.Data = f.bytes
	return in
}
