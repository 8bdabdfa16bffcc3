//go:build officialloadgen && cgo

package official

import (
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// idTable maps our response ids, which count from 0, to the official LoadGen's, which are addresses. It allocates the
// ids of a chunk together when the first one is issued.
type idTable struct {
	chunks [1 << 19]atomic.Pointer[idChunk]
}

const chunkBits = 13

type idChunk [1 << chunkBits]atomic.Uintptr

// put stores the official id of a sample that is about to be issued.
func (t *idTable) put(id loadgen.ResponseID, official uintptr) {
	slot := &t.chunks[id>>chunkBits]
	c := slot.Load()
	if c == nil {
		slot.CompareAndSwap(nil, new(idChunk)) // or another issuing thread has made it
		c = slot.Load()
	}
	c[id&(1<<chunkBits-1)].Store(official)
}

// get returns the official id, or 0 if the sample was not issued or is answered.
func (t *idTable) get(id loadgen.ResponseID) uintptr {
	if c := t.chunks[id>>chunkBits].Load(); c != nil {
		return c[id&(1<<chunkBits-1)].Load()
	}
	return 0
}

// take returns the official id like get, and removes it because a sample has only one answer.
func (t *idTable) take(id loadgen.ResponseID) uintptr {
	if c := t.chunks[id>>chunkBits].Load(); c != nil {
		return c[id&(1<<chunkBits-1)].Swap(0)
	}
	return 0
}
