package squad

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
	Float16
	Float64
	Int8
	Int16
	Int32
	Int64
)

var dtypes = [...]struct {
	name string
	size int
	read func([]byte) float64
}{
	Float32: {"float32", 4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	Float16: {"float16", 2, func(b []byte) float64 { return fromHalf(binary.LittleEndian.Uint16(b)) }},
	Float64: {"float64", 8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
	Int8:    {"int8", 1, func(b []byte) float64 { return float64(int8(b[0])) }},
	Int16:   {"int16", 2, func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }},
	Int32:   {"int32", 4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }},
	Int64:   {"int64", 8, func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }},
}

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

// fromHalf widens a number of IEEE 754's binary16.
func fromHalf(h uint16) float64 {
	sign, exponent, fraction := h>>15, int(h>>10&0x1f), float64(h&0x3ff)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 0x1f && fraction == 0:
		v = math.Inf(1)
	case exponent == 0x1f:
		return math.NaN()
	}
	if sign == 1 {
		v = -v
	}
	return v
}
