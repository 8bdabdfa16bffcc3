package loadgen

import (
	"slices"
	"sync"
)

// firstTokens keeps the bytes of first tokens until their samples' entries are written to the accuracy log. The zero
// value is empty; any goroutine may use it.
type firstTokens struct {
	mu   sync.Mutex
	data map[ResponseID][]byte
}

// put copies data.
func (f *firstTokens) put(id ResponseID, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.data == nil {
		f.data = make(map[ResponseID][]byte)
	}
	f.data[id] = slices.Clone(data)
}

// take removes what put was given; it is not nil.
func (f *firstTokens) take(id ResponseID) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	data := f.data[id]
	delete(f.data, id)
	if data == nil {
		data = []byte{}
	}
	return data
}
