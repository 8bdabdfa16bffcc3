package backend

import (
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// DType is a tensor's element type.
type DType uint8

// The element types, named as in ONNX.
const (
	InvalidDType DType = iota
	Float32
	Float16
	BFloat16
	Float64
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Bool
)

var dtypes = [...]struct {
	name string
	size int
}{
	InvalidDType: {"invalid", 0}, Float32: {"float32", 4}, Float16: {"float16", 2}, BFloat16: {"bfloat16", 2},
	Float64: {"float64", 8}, Int8: {"int8", 1}, Int16: {"int16", 2}, Int32: {"int32", 4}, Int64: {"int64", 8},
	Uint8: {"uint8", 1}, Uint16: {"uint16", 2}, Uint32: {"uint32", 4}, Uint64: {"uint64", 8}, Bool: {"bool", 1},
}

func (d DType) String() string {
	if int(d) >= len(dtypes) {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size returns the size of one element in bytes, or 0 for an invalid DType.
func (d DType) Size() int {
	if int(d) >= len(dtypes) {
		return 0
	}
	return dtypes[d].size
}

// Tensor is a dense array in row-major order, in the machine's byte order (little endian).
type Tensor struct {
	Name  string
	DType DType
	Shape []int64
	Data  []byte
	// Free, if not nil, returns the memory of Data, or of the kept tensor, to its owner.
	Free func()

	// Fields for an OutputCache, which defines them.

	KeepOutput bool            // of an output: keep it
	Handles    []*OutputHandle // of an input, in place of Data; of an output: its handle
	Rows       []int32         // of an input: numbers of rows of Handles, from 0; nil: all rows, in order
}

// Release returns the tensor's memory; the tensor is empty afterwards.
func (t *Tensor) Release() {
	if t.Free != nil {
		t.Free()
	}
	t.Data, t.Free, t.Handles = nil, nil, nil
}

// Elements returns the number of elements of a shape without free dimensions, limited to math.MaxInt64.
func Elements(shape []int64) int64 { return multiplyDims(1, shape) }

// multiplyDims returns n times each of the dimensions, limited to math.MaxInt64.
func multiplyDims(n int64, shape []int64) int64 {
	if slices.Contains(shape, 0) {
		return 0
	}
	for _, d := range shape {
		if d > 0 && n > math.MaxInt64/d {
			return math.MaxInt64
		}
		n *= d
	}
	return n
}

// Element is a Go type that a tensor's bytes can be viewed as.
type Element interface {
	~float32 | ~float64 | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// View returns data as a slice of T without copying. It panics if the length is not a multiple of T's size.
func View[T Element](data []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if len(data)%size != 0 {
		panic(fmt.Sprintf("backend.View: %d bytes are not a multiple of %d", len(data), size))
	}
	if len(data) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/size)
}

// Bytes returns v's memory as bytes without copying.
func Bytes[T Element](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}

// Rows returns the first dimension of the first input, which is the number of samples in a batch according to its
// tensors; 1 without such a dimension.
func Rows(in []Tensor) int {
	if len(in) == 0 || len(in[0].Shape) == 0 {
		return 1
	}
	return int(in[0].Shape[0])
}
