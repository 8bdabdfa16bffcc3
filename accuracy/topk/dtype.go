package topk

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy/internal/payload"
)

// DType is the element type of the payloads. The zero value means Float32, the official default.
type DType = payload.DType

// The element types that the official script accepts, all little endian.
const (
	Float32 = payload.Float32
	Int32   = payload.Int32
	Int64   = payload.Int64
)

// dtypes are those types, the default first.
func dtypes() []DType { return []DType{Float32, Int32, Int64} }

// ParseDType reads a name as String prints it; the empty name means Float32.
func ParseDType(name string) (DType, error) { return payload.Parse(name, dtypes()...) }

// class returns element 0 of the payload, truncated toward zero. Values beyond int64 saturate: they are no label
// anyway.
func class(d DType, data []byte) (int64, error) {
	d, err := d.Resolve(dtypes()...)
	if err != nil {
		return 0, err
	}
	if size := d.Size(); len(data) == 0 || len(data)%size != 0 {
		return 0, fmt.Errorf("payload of %d bytes, want a multiple of %d above 0 for dtype %v; was the log written with "+
			"another dtype?", len(data), size, d)
	}
	if d == Int64 {
		return int64(binary.LittleEndian.Uint64(data)), nil // all digits
	}
	return truncate(d.At(data, 0))
}

func truncate(v float64) (int64, error) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("payload holds %v, want a finite class number", v)
	case v >= math.MaxInt64: // the constant rounds up to 2^63, the first value that does not fit
		return math.MaxInt64, nil
	case v < math.MinInt64:
		return math.MinInt64, nil
	}
	return int64(v), nil
}
