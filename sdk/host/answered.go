package host

import (
	"math/bits"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// answeredSet is the set of response ids that were answered in one test. LoadGen numbers them from 0.
type answeredSet struct {
	words []uint64
	test  uint64 // number of samples issued before the test, which identifies the test
	count uint64 // number of ids in the set
}

// beginTest empties the set if test differs from the current test.
func (a *answeredSet) beginTest(test uint64) {
	if a.test != test {
		a.test, a.count = test, 0
		clear(a.words)
	}
}

// markAnswered marks the ids of rs that are below limit, the number of issued samples.
func (a *answeredSet) markAnswered(rs []loadgen.QuerySampleResponse, limit uint64) {
	count := uint64(0)
	for i := range rs {
		id := uint64(rs[i].ID)
		if id >= limit {
			continue // LoadGen reports it
		}
		for id/64 >= uint64(len(a.words)) {
			a.words = append(a.words, 0)
		}
		word, bit := &a.words[id/64], uint64(1)<<(id%64)
		if *word&bit == 0 {
			*word |= bit
			count++
		}
	}
	a.count += count
}

// firstMissing returns the smallest id that is not in the set.
func (a *answeredSet) firstMissing() uint64 {
	for i, w := range a.words {
		if w != ^uint64(0) {
			return uint64(i*64 + bits.TrailingZeros64(^w))
		}
	}
	return uint64(len(a.words)) * 64
}
