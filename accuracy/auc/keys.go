package auc

import "math"

// A key is an integer that sorts in the same order as the prediction that it encodes. Equal predictions have equal
// keys.

func floatKey(v float32) uint32 {
	if v == 0 { // -0 equals 0
		return 1 << 31
	}
	b := math.Float32bits(v)
	if b>>31 == 1 {
		return ^b
	}
	return b | 1<<31
}

func intKey(v int32) uint32 { return uint32(v) ^ 1<<31 }

// chunkSize is the number of keys in a chunk. Chunks avoid the second copy that a growing slice would need.
const chunkSize = 1 << 18

// keyList is an append-only list of keys.
type keyList struct {
	chunks [][]uint32 // chunkSize keys each; the positions after count are unused
	count  int
}

func (l *keyList) add(key uint32) {
	chunk, place := l.count/chunkSize, l.count%chunkSize
	if chunk == len(l.chunks) {
		l.chunks = append(l.chunks, make([]uint32, chunkSize))
	}
	l.chunks[chunk][place] = key
	l.count++
}

// usedChunks returns the chunks that contain keys, without unused positions.
func (l *keyList) usedChunks() [][]uint32 {
	var parts [][]uint32
	for i, left := 0, l.count; left > 0; i, left = i+1, left-chunkSize {
		parts = append(parts, l.chunks[i][:min(left, chunkSize)])
	}
	return parts
}
