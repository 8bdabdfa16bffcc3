package evidence

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// DType is the type of a payload's elements, little-endian.
type DType struct {
	Name  string
	Size  int
	Float bool
}

var elementTypes = []DType{
	{Name: "byte", Size: 1}, {Name: "int16", Size: 2}, {Name: "int32", Size: 4}, {Name: "int64", Size: 8},
	{Name: "float32", Size: 4, Float: true},
}

// DTypes returns the element types that a test accepts, starting with its default. It returns none if the payloads have
// a fixed type.
func DTypes(test string) []string {
	switch test {
	case "TEST01":
		return []string{"byte", "float32", "int32", "int64"}
	case "TEST06":
		return []string{"int32", "int64", "int16", "float32"}
	}
	return nil
}

// DTypeOf returns the element type with a name for a test.
func DTypeOf(test, name string) (DType, error) {
	choices := DTypes(test)
	if len(choices) == 0 {
		return DType{}, nil
	}
	name = cmp.Or(name, choices[0])
	if !slices.Contains(choices, name) {
		return DType{}, fmt.Errorf("dtype %q, %s takes %s", name, test, strings.Join(choices, ", "))
	}
	i := slices.IndexFunc(elementTypes, func(d DType) bool { return d.Name == name })
	return elementTypes[i], nil
}

// At returns element i of data as a number. data must contain all of it.
func (d DType) At(data []byte, i int) float64 {
	data = data[i*d.Size:]
	switch {
	case d.Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	case d.Size == 1:
		return float64(int8(data[0]))
	case d.Size == 2:
		return float64(int16(binary.LittleEndian.Uint16(data)))
	case d.Size == 4:
		return float64(int32(binary.LittleEndian.Uint32(data)))
	}
	return float64(int64(binary.LittleEndian.Uint64(data)))
}

// Element is the first element of a payload.
type Element struct {
	bits    uint64
	present bool // false: the payload is empty
}

// First returns the first element of a payload.
func (d DType) First(data []byte) Element {
	if len(data) < d.Size {
		return Element{}
	}
	var whole [8]byte
	copy(whole[:], data[:d.Size])
	return Element{bits: binary.LittleEndian.Uint64(whole[:]), present: true}
}

// equalElements compares elements as numbers. NaN is not equal to itself, and minus zero equals zero.
func (d DType) equalElements(a, b Element) bool {
	if !d.Float || !a.present || !b.present {
		return a == b
	}
	return math.Float32frombits(uint32(a.bits)) == math.Float32frombits(uint32(b.bits))
}

// SameTokens compares tokens up to the length of the shorter payload.
func SameTokens(d DType, data, first []byte) bool {
	for i := range min(len(data), len(first)) / d.Size {
		if d.At(data, i) != d.At(first, i) {
			return false
		}
	}
	return true
}
