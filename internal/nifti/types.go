package nifti

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// VoxelType is a code of nifti1.h for the type of the voxels.
type VoxelType int16

// The supported codes of the header's field datatype. Other codes are errors.
const (
	Uint8   VoxelType = 2
	Int16   VoxelType = 4
	Int32   VoxelType = 8
	Float32 VoxelType = 16
	Float64 VoxelType = 64
	Int8    VoxelType = 256
	Uint16  VoxelType = 512
	Uint32  VoxelType = 768
	Int64   VoxelType = 1024
	Uint64  VoxelType = 1280
)

// typeDecoder reads voxels of one type.
type typeDecoder struct {
	name string
	size int // bytes
	read func(order binary.ByteOrder, b []byte) float64
}

// decoders contains the decoder of each supported type.
var decoders = map[VoxelType]typeDecoder{
	Uint8:  {"uint8", 1, func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) }},
	Int8:   {"int8", 1, func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) }},
	Int16:  {"int16", 2, func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) }},
	Uint16: {"uint16", 2, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) }},
	Int32:  {"int32", 4, func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) }},
	Uint32: {"uint32", 4, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) }},
	Int64:  {"int64", 8, func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) }},
	Uint64: {"uint64", 8, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) }},
	Float32: {"float32", 4, func(o binary.ByteOrder, b []byte) float64 {
		return float64(math.Float32frombits(o.Uint32(b)))
	}},
	Float64: {"float64", 8, func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }},
}

func (t VoxelType) size() int { return decoders[t].size }

func (t VoxelType) String() string {
	if d, ok := decoders[t]; ok {
		return d.name
	}
	return fmt.Sprintf("Type(%d)", int16(t))
}

func typeNames() string {
	var names []string
	for _, d := range decoders {
		names = append(names, d.name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
