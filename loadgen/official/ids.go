//go:build officialloadgen && cgo

package official

import (
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// ids are the official LoadGen's response ids, which are addresses, by ours, which count from 0. Ids of a chunk are
// allocated together when its first one is issued.
type ids struct {
	chunks [1 << 19]atomic.Pointer[chunk]
}

const chunkBits = 13

type chunk [1 << chunkBits]atomic.Uintptr

// put notes an id that is about to be issued.
func (t *ids) put(id loadgen.ResponseID, official uintptr) {
	place := &t.chunks[id>>chunkBits]
	c := place.Load()
	if c == nil {
		place.CompareAndSwap(nil, new(chunk)) // or another thread that issues has made it
		c = place.Load()
	}
	c[id&(1<<chunkBits-1)].Store(official)
}

// get is the official id; 0 where the sample was not issued, or is answered.
func (t *ids) get(id loadgen.ResponseID) uintptr {
	if c := t.chunks[id>>chunkBits].Load(); c != nil {
		return c[id&(1<<chunkBits-1)].Load()
	}
	return 0
}

// take is get for the one answer that a sample has.
func (t *ids) take(id loadgen.ResponseID) uintptr {
	if c := t.chunks[id>>chunkBits].Load(); c != nil {
		return c[id&(1<<chunkBits-1)].Swap(0)
	}
	return 0
}
