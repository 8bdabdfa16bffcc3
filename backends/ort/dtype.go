package ort

import (
	"fmt"
	"unsafe"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// elements maps our element types to those of ONNX Runtime, whose numbers are also TensorProto's.
var elements = [...]onnxruntime.TensorElementDataType{
	backend.Float32:  onnxruntime.TensorElementDataTypeFloat,
	backend.Float16:  onnxruntime.TensorElementDataTypeFloat16,
	backend.BFloat16: onnxruntime.TensorElementDataTypeBFloat16,
	backend.Float64:  onnxruntime.TensorElementDataTypeDouble,
	backend.Int8:     onnxruntime.TensorElementDataTypeInt8,
	backend.Int16:    onnxruntime.TensorElementDataTypeInt16,
	backend.Int32:    onnxruntime.TensorElementDataTypeInt32,
	backend.Int64:    onnxruntime.TensorElementDataTypeInt64,
	backend.Uint8:    onnxruntime.TensorElementDataTypeUint8,
	backend.Uint16:   onnxruntime.TensorElementDataTypeUint16,
	backend.Uint32:   onnxruntime.TensorElementDataTypeUint32,
	backend.Uint64:   onnxruntime.TensorElementDataTypeUint64,
	backend.Bool:     onnxruntime.TensorElementDataTypeBool,
}

// dtypeOf is the inverse of elements; InvalidDType for what a backend.Tensor cannot hold.
func dtypeOf(elem int32) backend.DType {
	for d, e := range elements {
		if d != int(backend.InvalidDType) && int32(e) == elem {
			return backend.DType(d)
		}
	}
	return backend.InvalidDType
}

// nothing stands for the data of a tensor without elements: the binding asks for at least one byte.
var nothing [16]byte

// newValue makes an OrtValue of a tensor's memory, which it refers to. The caller keeps the memory alive and in place
// until it destroys the value. len(data) is at least what shape asks for.
func newValue(d backend.DType, shape []int64, data []byte) (onnxruntime.Value, error) {
	if len(shape) == 0 {
		return newScalar(d, data)
	}
	if len(data) == 0 {
		data = nothing[:]
	}
	return onnxruntime.NewCustomDataTensor(shape, data, elements[d])
}

// newScalar makes a tensor of rank 0 that holds a copy of data: the binding's tensors have at least one dimension.
func newScalar(d backend.DType, data []byte) (onnxruntime.Value, error) {
	switch d {
	case backend.Float32:
		return scalarOf[float32](data)
	case backend.Float64:
		return scalarOf[float64](data)
	case backend.Int8:
		return scalarOf[int8](data)
	case backend.Int16:
		return scalarOf[int16](data)
	case backend.Int32:
		return scalarOf[int32](data)
	case backend.Int64:
		return scalarOf[int64](data)
	case backend.Uint8:
		return scalarOf[uint8](data)
	case backend.Uint16:
		return scalarOf[uint16](data)
	case backend.Uint32:
		return scalarOf[uint32](data)
	case backend.Uint64:
		return scalarOf[uint64](data)
	case backend.Bool:
		return scalarOf[bool](data)
	}
	return nil, fmt.Errorf("a tensor of rank 0 cannot be %v here", d)
}

// scalar is a tensor of rank 0.
type scalar[T onnxruntime.TensorData] struct{ *onnxruntime.Scalar[T] }

func scalarOf[T onnxruntime.TensorData](data []byte) (onnxruntime.Value, error) {
	var v T
	copy(rawBytes(unsafe.Slice(&v, 1)), data)
	s, err := onnxruntime.NewScalar(v)
	if err != nil {
		return nil, err
	}
	return scalar[T]{s}, nil
}

// store copies the scalar's value to dst.
func (s scalar[T]) store(dst []byte) {
	v := s.GetData()
	copy(dst, rawBytes(unsafe.Slice(&v, 1)))
}

// bytesOf returns the memory of a tensor that the binding made, nil for a type it cannot read.
func bytesOf(v onnxruntime.Value) []byte {
	switch t := v.(type) {
	case *onnxruntime.Tensor[float32]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[float64]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[int8]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[int16]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[int32]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[int64]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[uint8]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[uint16]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[uint32]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[uint64]:
		return rawBytes(t.GetData())
	case *onnxruntime.Tensor[bool]:
		return rawBytes(t.GetData())
	}
	return nil
}

func rawBytes[T onnxruntime.TensorData](v []T) []byte {
	if len(v) == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}
