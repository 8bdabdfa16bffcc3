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

// laneMemory is the region of a lane: a place for each input, and behind them room for the outputs.
type laneMemory struct {
	region      *sharedRegion
	inputSizes  []int               // bytes for each input; its place follows those of the inputs before
	outputBytes int                 // bytes for outputs
	retired     []*sharedRegion     // replaced, while a caller may hold memory of them
	empty       []*sharedRegion     // replaced, and only their addresses are left
	made        func(*sharedRegion) // told of each new region; may be nil
}

// reserveInput returns n bytes at the place of input i, in a new region if the place is too small.
func (m *laneMemory) reserveInput(i, n int) ([]byte, error) {
	if m.widenPlace(i, n) || m.region == nil {
		if err := m.renewRegion(); err != nil {
			return nil, err
		}
	}
	return m.inputPlace(i, n), nil
}

// fitBatch sees to it that a batch fits: it makes a new region where a batch, or what is known of its outputs, does not
// fit into the one there is.
func (m *laneMemory) fitBatch(in []backend.Tensor) error {
	wider := m.region == nil
	for i := range in {
		wider = m.widenPlace(i, len(in[i].Data)) || wider
	}
	if wider || m.inputsEnd()+m.outputBytes > len(m.region.data) {
		return m.renewRegion()
	}
	return nil
}

// widenPlace notes that input i has n bytes, and reports whether its place is too small. One that has grown before gets
// a quarter more than it needs, so that batches of rising size do not each make a region: what is never touched takes
// no memory.
func (m *laneMemory) widenPlace(i, n int) bool {
	if n <= m.inputSizes[i] {
		return false
	}
	if m.inputSizes[i] > 0 {
		n += n / 4
	}
	m.inputSizes[i] = alignSize(n)
	return true
}

// renewRegion makes a region of the size that is needed now.
func (m *laneMemory) renewRegion() error {
	m.outputBytes = cmp.Or(m.outputBytes, firstRoom)
	m.retireRegion() // whatever comes: its places are not wide enough
	r, err := newRegion(m.inputsEnd() + alignSize(m.outputBytes))
	if err != nil {
		return err
	}
	m.region = r
	if m.made != nil {
		m.made(r)
	}
	return nil
}

// retireRegion gives the region up, but not the memory that a caller may hold.
func (m *laneMemory) retireRegion() {
	if m.region != nil {
		m.retired = append(m.retired, m.region)
	}
	m.region = nil
}

// inputPlace is the first n bytes of the place of input i.
func (m *laneMemory) inputPlace(i, n int) []byte {
	at := 0
	for _, room := range m.inputSizes[:i] {
		at += room
	}
	return m.region.data[at : at+n : at+n]
}

// inputsEnd is where the places of the inputs end, at least alignment: an offset of 0 would say that there is no
// region.
func (m *laneMemory) inputsEnd() int {
	end := 0
	for _, room := range m.inputSizes {
		end += room
	}
	return max(end, alignment)
}

// putInput sees to it that the bytes of input i are in the region and returns their offset. It copies what is not
// there.
func (m *laneMemory) putInput(i int, data []byte) uint64 {
	if offset, ok := m.region.offsetOf(data); ok && offset%alignment == 0 {
		return offset
	}
	place := m.inputPlace(i, len(data))
	copy(place, data)
	offset, _ := m.region.offsetOf(place)
	return offset
}

// discardRetired gives back what retired regions hold. Their addresses stay mapped until close, and read as zeros.
func (m *laneMemory) discardRetired() {
	for _, r := range m.retired {
		r.discardPages()
	}
	m.empty, m.retired = append(m.empty, m.retired...), nil
}

// close unmaps all regions. Nobody may hold memory of them.
func (m *laneMemory) close() {
	m.retireRegion()
	for _, r := range append(m.empty, m.retired...) {
		r.close()
	}
	m.empty, m.retired = nil, nil
}

func alignSize(n int) int { return (n + alignment - 1) &^ (alignment - 1) }
