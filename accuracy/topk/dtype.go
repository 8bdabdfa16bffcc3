package topk

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// DType is the element type of the payloads. The zero value is Float32, the official default.
type DType uint8

// The element types that the official script accepts, all little endian.
const (
	Float32 DType = iota
	Int32
	Int64
)

var dtypes = [...]struct {
	name string
	size int
}{Float32: {"float32", 4}, Int32: {"int32", 4}, Int64: {"int64", 8}}

func (d DType) String() string {
	if int(d) >= len(dtypes) {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// ParseDType reads a name as String prints it; the empty name means Float32.
func ParseDType(name string) (DType, error) {
	if name == "" {
		return Float32, nil
	}
	names := make([]string, len(dtypes))
	for i, d := range dtypes {
		if d.name == name {
			return DType(i), nil
		}
		names[i] = d.name
	}
	return 0, fmt.Errorf("unknown payload dtype %q, want one of %s", name, strings.Join(names, ", "))
}

// class returns element 0 of the payload, truncated toward zero. Values beyond int64 saturate: they are no label anyway.
func (d DType) class(payload []byte) (int64, error) {
	if int(d) >= len(dtypes) {
		return 0, fmt.Errorf("unknown payload dtype %v", d)
	}
	if size := dtypes[d].size; len(payload) == 0 || len(payload)%size != 0 {
		return 0, fmt.Errorf("payload of %d bytes, want a multiple of %d above 0 for dtype %v; was the log written with another dtype?", len(payload), size, d)
	}
	switch d {
	case Int32:
		return int64(int32(binary.LittleEndian.Uint32(payload))), nil
	case Int64:
		return int64(binary.LittleEndian.Uint64(payload)), nil
	}
	return truncate(float64(math.Float32frombits(binary.LittleEndian.Uint32(payload))))
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
