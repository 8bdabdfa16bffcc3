package rgat

import (
	"encoding/binary"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// ClassFormat is the format of a class in payloads. The zero value is the official script's default, uint8.
type ClassFormat struct {
	dtype accuracy.DType
	auto  bool
}

// dtypes returns the types that the official script accepts, starting with its default.
func dtypes() accuracy.DTypeList {
	return accuracy.DTypeList{accuracy.UInt8, accuracy.Float32, accuracy.Int32, accuracy.Int64}
}

// ParseFormat returns the format with the given name: uint8, float32, int32, int64 (little-endian elements) or auto.
// With auto, the payload's length determines the type: 1 byte means uint8, 4 int32 and 8 int64. The empty name means
// uint8.
func ParseFormat(name string) (ClassFormat, error) {
	if name == "auto" {
		return ClassFormat{auto: true}, nil
	}
	d, err := dtypes().Parse(name)
	if err != nil {
		return ClassFormat{}, fmt.Errorf("%w, or auto", err)
	}
	return ClassFormat{dtype: d}, nil
}

// resolveDType returns the element type of a payload.
func (f ClassFormat) resolveDType(data []byte) (accuracy.DType, error) {
	if !f.auto {
		return dtypes().Resolve(f.dtype)
	}
	switch len(data) {
	case 1:
		return accuracy.UInt8, nil
	case 4:
		return accuracy.Int32, nil
	case 8:
		return accuracy.Int64, nil
	}
	return 0, fmt.Errorf("a payload of %d bytes, want 1, 4 or 8, or a dtype that is named", len(data))
}

// Class returns the class in a payload, as the scorer reads it.
func (f ClassFormat) Class(data []byte) (int64, error) {
	d, err := f.resolveDType(data)
	if err != nil {
		return 0, err
	}
	return firstClass(d, data)
}

// firstClass returns the first element. It truncates floats toward zero.
func firstClass(d accuracy.DType, data []byte) (int64, error) {
	if size := d.Size(); len(data) == 0 || len(data)%size != 0 {
		return 0, fmt.Errorf("a payload of %d bytes, want a multiple of %d above 0 for %v", len(data), size, d)
	}
	if d == accuracy.Int64 {
		return int64(binary.LittleEndian.Uint64(data)), nil // exact, without a conversion to float64
	}
	v, err := accuracy.Truncate(d.At(data, 0))
	if err != nil {
		return 0, fmt.Errorf("the class: %w", err)
	}
	return v, nil
}
