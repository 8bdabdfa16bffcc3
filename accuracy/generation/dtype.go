package generation

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// DType is the element type of the payloads. The zero value is Int64, the official default.
type DType uint8

// The element types that the official scripts accept, all little endian. A Float32 is truncated to a whole number.
const (
	Int64 DType = iota
	Int32
	Float32
)

// noID stands for a number that is no token id.
const noID = -1

var dtypes = [...]struct {
	name string
	size int
	read func([]byte) int32
}{
	Int64:   {"int64", 8, func(b []byte) int32 { return fromInt(int64(binary.LittleEndian.Uint64(b))) }},
	Int32:   {"int32", 4, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }},
	Float32: {"float", 4, func(b []byte) int32 { return fromFloat(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
}

func fromInt(v int64) int32 {
	if v < 0 || v > math.MaxInt32 {
		return noID
	}
	return int32(v)
}

func fromFloat(v float32) int32 {
	if !(v > -1 && v < math.MaxInt32) {
		return noID
	}
	return int32(v)
}

func (d DType) String() string {
	if int(d) >= len(dtypes) {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size is the size of one id in bytes.
func (d DType) Size() int { return dtypes[d].size }

// ParseDType reads a name as String prints it; the empty name means Int64, and "float32" Float32.
func ParseDType(name string) (DType, error) {
	switch name {
	case "":
		return Int64, nil
	case "float32":
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

// AppendIDs appends the ids of a payload to dst; numbers that are no ids become -1. The error is ErrPayload.
func (d DType) AppendIDs(dst []int32, payload []byte) ([]int32, error) {
	size, read := dtypes[d].size, dtypes[d].read
	if len(payload)%size != 0 {
		return dst, fmt.Errorf("%w: %d bytes, want a multiple of %d for %v; is this the dtype of the log?", ErrPayload, len(payload), size, d)
	}
	for ; len(payload) > 0; payload = payload[size:] {
		dst = append(dst, read(payload))
	}
	return dst, nil
}
