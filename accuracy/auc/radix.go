package auc

import (
	"runtime"

	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// A radix sort sorts the keys by digits of 11 bits, lowest digit first. The 2048 write positions fit the caches, and
// three passes cover 32 bits.
const (
	digitBits   = 11
	digitValues = 1 << digitBits
)

// sortedKeys returns the keys in ascending order. It needs memory for two copies and does not change the list.
func (l *keyList) sortedKeys() []uint32 {
	a, b := make([]uint32, l.count), make([]uint32, l.count)
	sortDigit(l.usedChunks(), a, 0)
	sortDigit(splitChunks(a), b, digitBits)
	sortDigit(splitChunks(b), a, 2*digitBits)
	return a
}

// splitChunks splits keys into slices of chunkSize.
func splitChunks(keys []uint32) [][]uint32 {
	var parts [][]uint32
	for len(keys) > 0 {
		n := min(len(keys), chunkSize)
		parts, keys = append(parts, keys[:n]), keys[n:]
	}
	return parts
}

// sortDigit copies the keys of all parts to target, sorted by one digit. Keys with equal digits keep their order. Each
// processor first counts and then copies a contiguous run of parts.
func sortDigit(parts [][]uint32, target []uint32, shift uint) {
	workers := min(runtime.GOMAXPROCS(0), len(parts))
	places := make([][digitValues]int, workers)
	parallel.EachRange(workers, len(parts), func(w, first, end int) { countDigits(parts[first:end], shift, &places[w]) })
	begin := 0
	for d := range digitValues {
		for w := range places {
			places[w][d], begin = begin, begin+places[w][d]
		}
	}
	parallel.EachRange(workers, len(parts), func(w, first, end int) {
		scatterKeys(parts[first:end], shift, &places[w], target)
	})
}

func countDigits(parts [][]uint32, shift uint, counts *[digitValues]int) {
	for _, part := range parts {
		for _, key := range part {
			counts[key>>shift%digitValues]++
		}
	}
}

func scatterKeys(parts [][]uint32, shift uint, offsets *[digitValues]int, target []uint32) {
	for _, part := range parts {
		for _, key := range part {
			d := key >> shift % digitValues
			target[offsets[d]] = key
			offsets[d]++
		}
	}
}
