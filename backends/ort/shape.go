package ort

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// dimSizes contains the values of a model's named dimensions in one Run. There are only a few, so a linear search is
// faster than a map.
type dimSizes struct {
	names  []string
	values []int64
	batch  int64 // the first dimension of an input if it is free and unnamed; 0: there is none
}

func (s *dimSizes) reset() { s.names, s.values, s.batch = s.names[:0], s.values[:0], 0 }

// withBatch returns an output's dimensions. If the first one is free and unnamed, it assumes that it equals the batch
// of the inputs. If it does not, ONNX Runtime reports an error.
func (s *dimSizes) withBatch(dims []onnx.Dim) []onnx.Dim {
	if len(dims) == 0 || dims[0].Size >= 0 || dims[0].Name != "" || s.batch == 0 {
		return dims
	}
	return append([]onnx.Dim{{Size: s.batch}}, dims[1:]...)
}

func (s *dimSizes) lookup(name string) (int64, bool) {
	for i, n := range s.names {
		if n == name {
			return s.values[i], true
		}
	}
	return 0, false
}

// addShape adds the sizes of named dimensions from an input's shape. If a name has two sizes, the first one counts.
// ONNX Runtime does not require that they agree, and a wrong prediction of an output's shape is detected.
func (s *dimSizes) addShape(dims []onnx.Dim, shape []int64) {
	for i, d := range dims {
		if i == 0 && d.Name == "" && d.Size < 0 {
			s.batch = shape[0]
		}
		if d.Name == "" || d.Size >= 0 {
			continue
		}
		if _, known := s.lookup(d.Name); !known {
			s.names, s.values = append(s.names, d.Name), append(s.values, shape[i])
		}
	}
}

// resolveShape appends the current shape of dims to shape and reports whether all dimensions are known.
func (s *dimSizes) resolveShape(shape []int64, dims []onnx.Dim) ([]int64, bool) {
	for _, d := range dims {
		size, known := d.Size, d.Size >= 0
		if !known && d.Name != "" {
			size, known = s.lookup(d.Name)
		}
		if !known {
			return shape, false
		}
		shape = append(shape, size)
	}
	return shape, true
}

// checkInput checks a tensor against input i.
func (p sessionPorts) checkInput(i int, t backend.Tensor) error {
	want := p.in[i]
	if t.DType != want.DType {
		return fmt.Errorf("%w: input %q is given %v, want %v", backend.ErrTensors, want.Name, t.DType, want.DType)
	}
	if !shapeFits(want.Shape, t.Shape) && !p.fitsPartly(want.Shape, t.Shape) {
		return fmt.Errorf("%w: input %q is given shape %s, want %s", backend.ErrTensors, want.Name,
			backend.ShapeString(t.Shape), backend.ShapeString(want.Shape))
	}
	if n, ok := byteSize(t.DType, t.Shape); !ok || n != len(t.Data) {
		return fmt.Errorf("%w: input %q is given %d bytes for %v%s, want %d", backend.ErrTensors, want.Name, len(t.Data),
			t.DType, backend.ShapeString(t.Shape), n)
	}
	return nil
}

// fitsPartly reports whether shape fits except for a first dimension below a fixed batch.
func (p sessionPorts) fitsPartly(want, shape []int64) bool {
	return p.batch > 0 && len(shape) > 0 && len(want) > 0 && shape[0] > 0 && shape[0] < p.batch &&
		shapeFits(want[1:], shape[1:])
}

// haveSameRows reports whether the inputs that may be padded have equal numbers of rows.
func (p sessionPorts) haveSameRows(in []backend.Tensor) bool {
	for _, t := range in {
		if p.batch > 0 && t.Shape[0] != in[0].Shape[0] {
			return false
		}
	}
	return true
}

// shapeFits reports whether shape has the dimensions of want, in which -1 is free.
func shapeFits(want, shape []int64) bool {
	if len(want) != len(shape) {
		return false
	}
	for i, d := range shape {
		if d < 0 || want[i] >= 0 && want[i] != d {
			return false
		}
	}
	return true
}

// byteSize returns the size of a tensor in bytes. ok is false if it exceeds an int.
func byteSize(d backend.DType, shape []int64) (int, bool) {
	n := int64(d.Size())
	for _, size := range shape {
		if size != 0 && n > math.MaxInt64/size {
			return 0, false
		}
		n *= size
	}
	return int(n), n >= 0 && n <= math.MaxInt
}
