package process

import (
	"cmp"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

const (
	// alignment of tensors in a region, in bytes: a cache line, and enough for vector instructions.
	alignment = 64
	// firstRoom is how much a region has for outputs until their size is known.
	firstRoom = 1 << 20
)

// memory is the region of a lane: a place for each input, and behind them room for the outputs.
type memory struct {
	region  *region
	rooms   []int         // bytes for each input; its place follows those of the inputs before
	outputs int           // bytes for outputs
	retired []*region     // replaced, while a caller may hold memory of them
	empty   []*region     // replaced, and only their addresses are left
	made    func(*region) // told of each new region; may be nil
}

// input is n bytes at the place of input i, in a new region if the place is too small.
func (m *memory) input(i, n int) ([]byte, error) {
	if m.widen(i, n) || m.region == nil {
		if err := m.renew(); err != nil {
			return nil, err
		}
	}
	return m.place(i, n), nil
}

// fit makes a new region where a batch, or what is known of its outputs, does not fit into the one there is.
func (m *memory) fit(in []backend.Tensor) error {
	wider := m.region == nil
	for i := range in {
		wider = m.widen(i, len(in[i].Data)) || wider
	}
	if wider || m.end()+m.outputs > len(m.region.data) {
		return m.renew()
	}
	return nil
}

// widen notes that input i has n bytes, and reports whether its place is too small. One that has grown before gets a
// quarter more than it needs, so that batches of rising size do not each make a region: what is never touched takes no
// memory.
func (m *memory) widen(i, n int) bool {
	if n <= m.rooms[i] {
		return false
	}
	if m.rooms[i] > 0 {
		n += n / 4
	}
	m.rooms[i] = align(n)
	return true
}

// renew makes a region of the size that is needed now.
func (m *memory) renew() error {
	m.outputs = cmp.Or(m.outputs, firstRoom)
	m.retire() // whatever comes: its places are not wide enough
	r, err := newRegion(m.end() + align(m.outputs))
	if err != nil {
		return err
	}
	m.region = r
	if m.made != nil {
		m.made(r)
	}
	return nil
}

// retire gives the region up, but not the memory that a caller may hold.
func (m *memory) retire() {
	if m.region != nil {
		m.retired = append(m.retired, m.region)
	}
	m.region = nil
}

// place is the first n bytes of the place of input i.
func (m *memory) place(i, n int) []byte {
	at := 0
	for _, room := range m.rooms[:i] {
		at += room
	}
	return m.region.data[at : at+n : at+n]
}

// end is where the places of the inputs end, at least alignment: an offset of 0 would say that there is no region.
func (m *memory) end() int {
	end := 0
	for _, room := range m.rooms {
		end += room
	}
	return max(end, alignment)
}

// put sees to it that the bytes of input i are in the region and returns their offset. It copies what is not there.
func (m *memory) put(i int, data []byte) uint64 {
	if offset, ok := m.region.offset(data); ok && offset%alignment == 0 {
		return offset
	}
	place := m.place(i, len(data))
	copy(place, data)
	offset, _ := m.region.offset(place)
	return offset
}

// discard gives back what retired regions hold. Their addresses stay mapped until close, and read as zeros.
func (m *memory) discard() {
	for _, r := range m.retired {
		r.discard()
	}
	m.empty, m.retired = append(m.empty, m.retired...), nil
}

// close unmaps all regions. Nobody may hold memory of them.
func (m *memory) close() {
	m.retire()
	for _, r := range append(m.empty, m.retired...) {
		r.close()
	}
	m.empty, m.retired = nil, nil
}

func align(n int) int { return (n + alignment - 1) &^ (alignment - 1) }
