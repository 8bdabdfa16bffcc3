package audit

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// dtype is the type of a payload's elements, little-endian.
type dtype struct {
	name  string
	size  int
	float bool
}

var dtypes = []dtype{
	{name: "byte", size: 1}, {name: "int16", size: 2}, {name: "int32", size: 4}, {name: "int64", size: 8},
	{name: "float32", size: 4, float: true},
}

// DTypes are the types of elements that a test takes, its default first; none where its payloads have one type.
func DTypes(test string) []string {
	switch test {
	case "TEST01":
		return []string{"byte", "float32", "int32", "int64"}
	case "TEST06":
		return []string{"int32", "int64", "int16", "float32"}
	}
	return nil
}

// dtypeOf finds the type of a request.
func dtypeOf(test, name string) (dtype, error) {
	choices := DTypes(test)
	if len(choices) == 0 {
		return dtype{}, nil
	}
	if name == "" {
		name = choices[0]
	}
	if !slices.Contains(choices, name) {
		return dtype{}, fmt.Errorf("%w: dtype %q, %s takes %s", ErrRequest, name, test, strings.Join(choices, ", "))
	}
	i := slices.IndexFunc(dtypes, func(d dtype) bool { return d.name == name })
	return dtypes[i], nil
}

// at is element i of data as a number; data has it whole.
func (d dtype) at(data []byte, i int) float64 {
	data = data[i*d.size:]
	switch {
	case d.float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	case d.size == 1:
		return float64(int8(data[0]))
	case d.size == 2:
		return float64(int16(binary.LittleEndian.Uint16(data)))
	case d.size == 4:
		return float64(int32(binary.LittleEndian.Uint32(data)))
	}
	return float64(int64(binary.LittleEndian.Uint64(data)))
}

// element is the first element of a payload.
type element struct {
	bits  uint64
	there bool // false where the payload is empty
}

func (d dtype) first(data []byte) element {
	if len(data) < d.size {
		return element{}
	}
	var whole [8]byte
	copy(whole[:], data[:d.size])
	return element{bits: binary.LittleEndian.Uint64(whole[:]), there: true}
}

// equal compares as numbers: NaN is not equal to itself, minus zero is zero.
func (d dtype) equal(a, b element) bool {
	if !d.float || !a.there || !b.there {
		return a == b
	}
	return math.Float32frombits(uint32(a.bits)) == math.Float32frombits(uint32(b.bits))
}
