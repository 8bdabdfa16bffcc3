package auc

import "math"

// A key is a prediction as a number that sorts alike: equal predictions have equal keys.

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

// chunkSize is how many keys are allocated together: a list that grows by copying would need twice its memory.
const chunkSize = 1 << 18

// keyList is an append-only list of keys.
type keyList struct {
	chunks [][]uint32 // each of chunkSize; what lies beyond count is free
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

// usedChunks are the chunks in use.
func (l *keyList) usedChunks() [][]uint32 {
	var parts [][]uint32
	for i, left := 0, l.count; left > 0; i, left = i+1, left-chunkSize {
		parts = append(parts, l.chunks[i][:min(left, chunkSize)])
	}
	return parts
}
