// Package wire contains the common parts of both halves of the plugin connection: the handshake, limits of messages,
// and conversion between the byte arrays of plugin.proto and Go slices, without copying if the machine allows.
package wire

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// sampleSize is the size of one sample in an Issue frame: response id and sample index.
const sampleSize = 8

// On a little-endian machine, a loadgen.QuerySample in memory has the same bytes as on the wire.
var _ [sampleSize]byte = [unsafe.Sizeof(loadgen.QuerySample{})]byte{}

// Word is a Go type of one uint32 on the wire.
type Word interface{ ~uint32 }

// Bytes returns words as little-endian bytes. The result may share their memory.
func Bytes[T Word](words []T) []byte {
	if len(words) == 0 {
		return nil
	}
	if littleEndian() {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
	}
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, uint32(w))
	}
	return b
}

// Words returns little-endian bytes as words. The result may share their memory.
func Words[T Word](what string, b []byte) ([]T, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("%s: %d bytes, want a multiple of 4", what, len(b))
	}
	if len(b) == 0 {
		return nil, nil
	}
	if p := unsafe.Pointer(unsafe.SliceData(b)); littleEndian() && uintptr(p)%4 == 0 {
		return unsafe.Slice((*T)(p), len(b)/4), nil
	}
	words := make([]T, len(b)/4)
	for i := range words {
		words[i] = T(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return words, nil
}

// SampleBytes returns samples as the bytes of an Issue frame. The result may share their memory.
func SampleBytes(samples []loadgen.QuerySample) []byte {
	if len(samples) == 0 {
		return nil
	}
	if littleEndian() {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(samples))), sampleSize*len(samples))
	}
	b := make([]byte, 0, sampleSize*len(samples))
	for _, s := range samples {
		b = binary.LittleEndian.AppendUint32(b, uint32(s.ID))
		b = binary.LittleEndian.AppendUint32(b, uint32(s.Index))
	}
	return b
}

// Samples returns the bytes of an Issue frame as samples. The result may share their memory.
func Samples(b []byte) ([]loadgen.QuerySample, error) {
	if len(b)%sampleSize != 0 {
		return nil, fmt.Errorf("issued samples: %d bytes, want a multiple of %d", len(b), sampleSize)
	}
	if len(b) == 0 {
		return nil, nil
	}
	if p := unsafe.Pointer(unsafe.SliceData(b)); littleEndian() && uintptr(p)%4 == 0 {
		return unsafe.Slice((*loadgen.QuerySample)(p), len(b)/sampleSize), nil
	}
	samples := make([]loadgen.QuerySample, len(b)/sampleSize)
	for i := range samples {
		samples[i].ID = loadgen.ResponseID(binary.LittleEndian.Uint32(b[sampleSize*i:]))
		samples[i].Index = loadgen.SampleIndex(binary.LittleEndian.Uint32(b[sampleSize*i+4:]))
	}
	return samples, nil
}

func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }
