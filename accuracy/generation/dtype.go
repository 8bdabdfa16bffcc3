package generation

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy/internal/payload"
)

// DType is the element type of the payloads. The zero value means Int64, the official default.
type DType = payload.DType

// The element types that the official scripts accept, all little endian. A Float32 is truncated to a whole
// number.
const (
	Int64   = payload.Int64
	Int32   = payload.Int32
	Float32 = payload.Float32
)

// dtypes are those types, the default first.
func dtypes() []DType { return []DType{Int64, Int32, Float32} }

// ParseDType reads a name as String prints it, or "float" for Float32, as the scripts have it; the empty name means
// Int64.
func ParseDType(name string) (DType, error) {
	if name == "float" {
		return Float32, nil
	}
	return payload.Parse(name, dtypes()...)
}

// noID stands for a number that is no token id.
const noID = -1

// AppendIDs appends the ids of a payload to dst; numbers that are no ids become -1. The error is ErrPayload.
func AppendIDs(dst []int32, d DType, data []byte) ([]int32, error) {
	d, err := d.Resolve(dtypes()...)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	size := d.Size()
	if len(data)%size != 0 {
		return dst, fmt.Errorf("%w: %d bytes, want a multiple of %d for %v; is this the dtype of the log?",
			ErrPayload, len(data), size, d)
	}
	for i := range len(data) / size {
		dst = append(dst, id(d.At(data, i)))
	}
	return dst, nil
}

func id(v float64) int32 {
	if !(v > -1 && v <= math.MaxInt32) {
		return noID
	}
	return int32(v)
}
