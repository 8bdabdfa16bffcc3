package generation

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// DTypes returns the element types of payloads that the official scripts accept, starting with their default. A Float32
// is truncated to an integer.
func DTypes() accuracy.DTypeList {
	return accuracy.DTypeList{accuracy.Int64, accuracy.Int32, accuracy.Float32}
}

// ParseDType returns the type with the given name: a name that String returns, or "float" for Float32 as in the
// scripts. The empty name means Int64.
func ParseDType(name string) (accuracy.DType, error) {
	if name == "float" {
		return accuracy.Float32, nil
	}
	return DTypes().Parse(name)
}

// noID replaces a number that is not a token id.
const noID = -1

// AppendIDs appends the ids of a payload to dst. Numbers that are not ids become -1. The official scripts stop at NaN
// and infinite numbers, so these are an error. All errors wrap ErrPayload.
func AppendIDs(dst []int32, d accuracy.DType, data []byte) ([]int32, error) {
	d, err := DTypes().Resolve(d)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	size := d.Size()
	if len(data)%size != 0 {
		return dst, fmt.Errorf("%w: %d bytes, want a multiple of %d for %v; is this the dtype of the log?",
			ErrPayload, len(data), size, d)
	}
	for i := range len(data) / size {
		v := d.At(data, i)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return dst, fmt.Errorf("%w: token %d is %v, want a finite number", ErrPayload, i, v)
		}
		dst = append(dst, tokenID(v))
	}
	return dst, nil
}

func tokenID(v float64) int32 {
	if !(v > -1 && v <= math.MaxInt32) {
		return noID
	}
	return int32(v)
}
