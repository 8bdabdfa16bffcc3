package accuracy

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// DType is the element type of payloads. All types are little endian.
type DType uint8

// The element types. Each official script accepts some of them.
const (
	Official DType = iota // the zero value: the default of the benchmark's official script
	UInt8
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
	Official: {"official", 0},
	UInt8:    {"uint8", 1}, Int8: {"int8", 1}, Int16: {"int16", 2}, Int32: {"int32", 4}, Int64: {"int64", 8},
	Float16: {"float16", 2}, Float32: {"float32", 4}, Float64: {"float64", 8},
}

func (d DType) String() string {
	if int(d) >= len(dtypes) {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// DTypeList contains the element types that a script accepts, starting with its default.
type DTypeList []DType

// Parse returns the type in the list with the given name, as String returns it. The empty name means the first type.
func (t DTypeList) Parse(name string) (DType, error) {
	if name == "" {
		return t[0], nil
	}
	names := make([]string, len(t))
	for i, d := range t {
		if d.String() == name {
			return d, nil
		}
		names[i] = d.String()
	}
	return Official, fmt.Errorf("unknown payload dtype %q, want one of %s", name, strings.Join(names, ", "))
}

// Resolve returns d, or the first type if d is Official. It returns an error if the list does not contain d.
func (t DTypeList) Resolve(d DType) (DType, error) {
	if d == Official {
		return t[0], nil
	}
	if !slices.Contains(t, d) {
		return d, fmt.Errorf("unknown payload dtype %v", d)
	}
	return d, nil
}

// Size returns the size of an element in bytes.
func (d DType) Size() int { return dtypes[d].size }

// At returns element i of a payload. Values are exact, except that an int64 beyond 2^53 is rounded.
func (d DType) At(payload []byte, i int) float64 {
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
		return halfValue(binary.LittleEndian.Uint16(b))
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return float64(b[0])
}

// Truncate rounds v toward zero, like Python's int. NaN and infinite values, at which Python stops, are an error.
// Values outside the range of int64, which Python represents exactly, become the nearest int64; no data set has such a
// class, index or token.
func Truncate(v float64) (int64, error) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("found %v, want a finite number", v)
	case v >= math.MaxInt64: // the constant rounds up to 2^63, the first value that does not fit
		return math.MaxInt64, nil
	case v < math.MinInt64:
		return math.MinInt64, nil
	}
	return int64(v), nil
}

// halfValue returns the value of an IEEE 754 binary16 number.
func halfValue(bits uint16) float64 {
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
