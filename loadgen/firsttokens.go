package loadgen

import (
	"slices"
	"sync"
)

// firstTokens stores the bytes of first tokens until their samples' entries are written to the accuracy log. The zero
// value is empty. It is safe for concurrent use.
type firstTokens struct {
	mu   sync.Mutex
	data map[ResponseID][]byte
}

// putToken copies data.
func (f *firstTokens) putToken(id ResponseID, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.data == nil {
		f.data = make(map[ResponseID][]byte)
	}
	f.data[id] = slices.Clone(data)
}

// takeToken removes and returns the token of putToken. It never returns nil.
func (f *firstTokens) takeToken(id ResponseID) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	data := f.data[id]
	delete(f.data, id)
	if data == nil {
		data = []byte{}
	}
	return data
}
