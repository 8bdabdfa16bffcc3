package dice

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// DType is the element type of the payloads. The zero value is UInt8, the official default.
type DType uint8

// The element types of payloads, all little endian.
const (
	UInt8 DType = iota
	Int8
	Int32
	Int64
	Float32
)

var dtypes = [...]struct {
	name string
	size int
}{UInt8: {"uint8", 1}, Int8: {"int8", 1}, Int32: {"int32", 4}, Int64: {"int64", 8}, Float32: {"float32", 4}}

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
		switch d {
		case UInt8, Int8:
			classes[i] = payload[i]
		case Int32:
			classes[i] = class(float64(int32(binary.LittleEndian.Uint32(payload[4*i:]))))
		case Int64:
			classes[i] = class(float64(int64(binary.LittleEndian.Uint64(payload[8*i:]))))
		case Float32:
			classes[i] = class(float64(math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))))
		}
	}
}

func class(v float64) byte {
	if v > -1 && v < wrong {
		return byte(v)
	}
	return wrong // NaN as well
}

// show is element i as the payload has it, for messages.
func (d DType) show(payload []byte, i int) string {
	switch d {
	case Int8:
		return fmt.Sprint(int8(payload[i]))
	case Int32:
		return fmt.Sprint(int32(binary.LittleEndian.Uint32(payload[4*i:])))
	case Int64:
		return fmt.Sprint(int64(binary.LittleEndian.Uint64(payload[8*i:])))
	case Float32:
		return fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:])))
	}
	return fmt.Sprint(payload[i])
}
