package dice

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// DType is the element type of the payloads. The zero value is UInt8, the official default.
type DType uint8

// The element types that the official script accepts, all little endian.
const (
	UInt8 DType = iota
	Int8
	Int16
	Int32
	Int64
	Float16
	Float32
	Float64
)

var dtypes = [...]struct {
	name string
	size int
}{
	UInt8: {"uint8", 1}, Int8: {"int8", 1}, Int16: {"int16", 2}, Int32: {"int32", 4}, Int64: {"int64", 8},
	Float16: {"float16", 2}, Float32: {"float32", 4}, Float64: {"float64", 8},
}

func (d DType) String() string {
	if int(d) >= len(dtypes) {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// ParseDType reads a name as String prints it; the empty name means UInt8.
func ParseDType(name string) (DType, error) {
	if name == "" {
		return UInt8, nil
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

// wrong stands for every value that is no class.
const wrong = math.MaxUint8

// narrow converts elements, len(classes) of them, to classes. Fractions are cut off.
func (d DType) narrow(classes, payload []byte) {
	for i := range classes {
		classes[i] = wrong // which NaN stays
		if v := d.value(payload, i); v > -1 && v < wrong {
			classes[i] = byte(v)
		}
	}
}

// value is element i of a payload; an int64 beyond 2^53 is rounded.
func (d DType) value(payload []byte, i int) float64 {
	b := payload[i*dtypes[d].size:]
	switch d {
	case Int8:
		return float64(int8(b[0]))
	case Int16:
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case Int32:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case Int64:
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case Float16:
		return half(binary.LittleEndian.Uint16(b))
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return float64(b[0])
}

// half is the value of an IEEE 754 binary16.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
