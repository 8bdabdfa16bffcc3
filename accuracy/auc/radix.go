package auc

import (
	"runtime"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// Keys are sorted by their digits of 11 bits, the lowest first: 2048 targets of writing stay in the caches, and three
// passes are enough for 32 bits.
const (
	digitBits = 11
	digits    = 1 << digitBits
)

// sortedKeys returns the keys in rising order. It needs room for two copies, and leaves the list as it is.
func (l *keyList) sortedKeys() []uint32 {
	a, b := make([]uint32, l.count), make([]uint32, l.count)
	sortDigit(l.usedChunks(), a, 0)
	sortDigit(splitChunks(a), b, digitBits)
	sortDigit(splitChunks(b), a, 2*digitBits)
	return a
}

// splitChunks cuts keys into parts as long as chunks.
func splitChunks(keys []uint32) [][]uint32 {
	var parts [][]uint32
	for len(keys) > 0 {
		n := min(len(keys), chunkSize)
		parts, keys = append(parts, keys[:n]), keys[n:]
	}
	return parts
}

// sortDigit copies the keys of all parts to target, sorted by one digit; keys with equal digits keep their order. Each
// processor counts and then copies a run of parts.
func sortDigit(parts [][]uint32, target []uint32, shift uint) {
	workers := min(runtime.GOMAXPROCS(0), len(parts))
	places := make([][digits]int, workers)
	lists.Shares(workers, len(parts), func(w, first, end int) { countDigits(parts[first:end], shift, &places[w]) })
	begin := 0
	for d := range digits {
		for w := range places {
			places[w][d], begin = begin, begin+places[w][d]
		}
	}
	lists.Shares(workers, len(parts), func(w, first, end int) { scatterKeys(parts[first:end], shift, &places[w], target) })
}

func countDigits(parts [][]uint32, shift uint, counts *[digits]int) {
	for _, part := range parts {
		for _, key := range part {
			counts[key>>shift%digits]++
		}
	}
}

func scatterKeys(parts [][]uint32, shift uint, places *[digits]int, target []uint32) {
	for _, part := range parts {
		for _, key := range part {
			d := key >> shift % digits
			target[places[d]] = key
			places[d]++
		}
	}
}
