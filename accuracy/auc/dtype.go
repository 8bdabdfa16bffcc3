package auc

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

// value is element i of a payload, exactly: float64 holds every float32 and int32, and int64 up to 2^53.
func (d DType) value(payload []byte, i int) float64 {
	switch d {
	case Int32:
		return float64(int32(binary.LittleEndian.Uint32(payload[4*i:])))
	case Int64:
		return float64(int64(binary.LittleEndian.Uint64(payload[8*i:])))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:])))
}
