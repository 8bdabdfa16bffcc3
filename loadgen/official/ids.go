//go:build officialloadgen && cgo

package official

import (
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// idTable maps our response ids, which count from 0, to the official LoadGen's, which are addresses. It allocates the
// ids of a chunk together when the first one is issued.
type ids struct {
	chunks [1 << 19]atomic.Pointer[chunk]
}

const chunkBits = 13

type chunk [1 << chunkBits]atomic.Uintptr

// put stores the official id of a sample that is about to be issued.
func (t *ids) put(id loadgen.ResponseID, official uintptr) {
	place := &t.chunks[id>>chunkBits]
	c := place.Load()
	if c == nil {
		place.CompareAndSwap(nil, new(chunk)) // or another issuing thread has made it
		c = place.Load()
	}
	c[id&(1<<chunkBits-1)].Store(official)
}

// get returns the official id, or 0 if the sample was not issued or is answered.
func (t *ids) get(id loadgen.ResponseID) uintptr {
	if c := t.chunks[id>>chunkBits].Load(); c != nil {
		return c[id&(1<<chunkBits-1)].Load()
	}
	return 0
}

// take returns the official id like get, and removes it because a sample has only one answer.
func (t *ids) take(id loadgen.ResponseID) uintptr {
	if c := t.chunks[id>>chunkBits].Load(); c != nil {
		return c[id&(1<<chunkBits-1)].Swap(0)
	}
	return 0
}
