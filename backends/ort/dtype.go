package ort

import (
	"fmt"
	"unsafe"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// elementType describes an element type: ONNX Runtime's number for it, which equals TensorProto's, and the binding's
// functions for tensors of it.
type elementType struct {
	native onnxruntime.TensorElementDataType
	scalar func(data []byte) (onnxruntime.Value, error) // creates a scalar; nil: the binding has no Go type
	bytes  func(v onnxruntime.Value) []byte             // memory of a tensor of the binding; nil for other types
}

// elementTypes lists the element types that a backend.Tensor supports.
var elementTypes = [...]elementType{
	backend.Float32:  elementOf[float32](onnxruntime.TensorElementDataTypeFloat),
	backend.Float16:  {native: onnxruntime.TensorElementDataTypeFloat16},
	backend.BFloat16: {native: onnxruntime.TensorElementDataTypeBFloat16},
	backend.Float64:  elementOf[float64](onnxruntime.TensorElementDataTypeDouble),
	backend.Int8:     elementOf[int8](onnxruntime.TensorElementDataTypeInt8),
	backend.Int16:    elementOf[int16](onnxruntime.TensorElementDataTypeInt16),
	backend.Int32:    elementOf[int32](onnxruntime.TensorElementDataTypeInt32),
	backend.Int64:    elementOf[int64](onnxruntime.TensorElementDataTypeInt64),
	backend.Uint8:    elementOf[uint8](onnxruntime.TensorElementDataTypeUint8),
	backend.Uint16:   elementOf[uint16](onnxruntime.TensorElementDataTypeUint16),
	backend.Uint32:   elementOf[uint32](onnxruntime.TensorElementDataTypeUint32),
	backend.Uint64:   elementOf[uint64](onnxruntime.TensorElementDataTypeUint64),
	backend.Bool:     elementOf[bool](onnxruntime.TensorElementDataTypeBool),
}

func elementOf[T onnxruntime.TensorData](native onnxruntime.TensorElementDataType) elementType {
	return elementType{native, scalarOf[T], func(v onnxruntime.Value) []byte {
		if t, ok := v.(*onnxruntime.Tensor[T]); ok {
			return rawBytes(t.GetData())
		}
		return nil
	}}
}

// dtypeOf returns the DType of an ONNX element type; InvalidDType: not supported by backend.Tensor.
func dtypeOf(elem int32) backend.DType {
	for d, e := range elementTypes {
		if d != int(backend.InvalidDType) && int32(e.native) == elem {
			return backend.DType(d)
		}
	}
	return backend.InvalidDType
}

// emptyData replaces the data of a tensor without elements, because the binding requires one or more bytes.
var emptyData [16]byte

// newValue creates an OrtValue that refers to a tensor's memory. The caller must keep the memory alive and in place
// until it destroys the value. data must have the size of shape or more.
func newValue(d backend.DType, shape []int64, data []byte) (onnxruntime.Value, error) {
	if len(shape) == 0 {
		return newScalar(d, data)
	}
	if len(data) == 0 {
		data = emptyData[:]
	}
	return onnxruntime.NewCustomDataTensor(shape, data, elementTypes[d].native)
}

// newScalar creates a tensor of rank 0 with a copy of data, because the binding's other tensors have one or more
// dimensions.
func newScalar(d backend.DType, data []byte) (onnxruntime.Value, error) {
	if elementTypes[d].scalar == nil {
		return nil, fmt.Errorf("a tensor of rank 0 cannot be %v here", d)
	}
	return elementTypes[d].scalar(data)
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

func rawBytes[T onnxruntime.TensorData](v []T) []byte {
	if len(v) == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}
