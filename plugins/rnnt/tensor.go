package rnnt

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is wrapped by every error about a part's output.
var errOutput = errors.New("a part of the model gives what the benchmark cannot use")

// floatTensor returns a tensor of values with the given shape.
func floatTensor(values []float32, shape ...int64) backend.Tensor {
	return backend.Tensor{DType: backend.Float32, Shape: shape, Data: backend.Bytes(values)}
}

// readFloats returns the values of a float32 output that must have dims dimensions.
func readFloats(t *backend.Tensor, dims int) ([]float32, error) {
	if t.DType != backend.Float32 || len(t.Shape) != dims {
		return nil, fmt.Errorf("%w: %q is %v%s, want float32 of %d dimensions", errOutput, t.Name, t.DType,
			backend.ShapeString(t.Shape), dims)
	}
	if want := 4 * backend.Elements(t.Shape); int64(len(t.Data)) != want {
		return nil, fmt.Errorf("%w: %q has %d bytes, want %d", errOutput, t.Name, len(t.Data), want)
	}
	return backend.View[float32](t.Data), nil
}

// readRows returns the values of a float32 output that must contain perRow values for each of n rows, in any shape.
func readRows(t *backend.Tensor, n, perRow int) ([]float32, error) {
	values, err := readFloats(t, len(t.Shape))
	if err == nil && len(values) != n*perRow {
		err = fmt.Errorf("%w: %q is %s, want %d values for each of %d rows", errOutput, t.Name,
			backend.ShapeString(t.Shape), perRow, n)
	}
	return values, err
}

// readIntegers reads n values of a one-dimensional output of int32 or int64.
func readIntegers(t *backend.Tensor, n int) ([]int64, error) {
	if len(t.Data) != n*t.DType.Size() || t.DType != backend.Int32 && t.DType != backend.Int64 {
		return nil, fmt.Errorf("%w: %q is %v%s with %d bytes, want %d lengths, int32 or int64", errOutput, t.Name, t.DType,
			backend.ShapeString(t.Shape), len(t.Data), n)
	}
	all := make([]int64, n)
	for i := range all {
		if t.DType == backend.Int64 {
			all[i] = backend.View[int64](t.Data)[i]
		} else {
			all[i] = int64(backend.View[int32](t.Data)[i])
		}
	}
	return all, nil
}
