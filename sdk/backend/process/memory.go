package process

import (
	"cmp"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

const (
	// alignment of tensors in a region, in bytes: a cache line, which is also sufficient for vector instructions.
	alignment = 64
	// firstRoom is the size of a region's part for outputs until their size is known.
	firstRoom = 1 << 20
)

// laneMemory is the region of a lane. It contains a slot for each input, followed by room for the outputs.
type laneMemory struct {
	region      *sharedRegion
	inputSizes  []int               // slot sizes of the inputs in bytes; the slots are contiguous
	outputBytes int                 // size of the part for outputs
	retired     []*sharedRegion     // replaced regions whose memory a caller may hold
	empty       []*sharedRegion     // replaced regions whose memory is freed but whose addresses are still mapped
	onNewRegion func(*sharedRegion) // called for each new region; may be nil
}

// reserveInput returns n bytes in the slot of input i. If the slot is too small, it makes a new region.
func (m *laneMemory) reserveInput(i, n int) ([]byte, error) {
	if m.widenSlot(i, n) || m.region == nil {
		if err := m.renewRegion(); err != nil {
			return nil, err
		}
	}
	return m.inputSlot(i, n), nil
}

// fitBatch makes a new region if the current one is too small for a batch and its expected outputs.
func (m *laneMemory) fitBatch(in []backend.Tensor) error {
	wider := m.region == nil
	for i := range in {
		wider = m.widenSlot(i, len(in[i].Data)) || wider
	}
	if wider || m.inputsEnd()+m.outputBytes > len(m.region.data) {
		return m.renewRegion()
	}
	return nil
}

// widenSlot records that input i has n bytes, and reports whether its slot is too small. A slot that grows for the
// second time gets a quarter more, so batches of rising size do not each need a new region. Unused pages take no
// memory.
func (m *laneMemory) widenSlot(i, n int) bool {
	if n <= m.inputSizes[i] {
		return false
	}
	if m.inputSizes[i] > 0 {
		n += n / 4
	}
	m.inputSizes[i] = alignSize(n)
	return true
}

// renewRegion makes a region of the size that is now required.
func (m *laneMemory) renewRegion() error {
	m.outputBytes = cmp.Or(m.outputBytes, firstRoom)
	m.retireRegion() // in any case, because its slots are too small
	r, err := newRegion(m.inputsEnd() + alignSize(m.outputBytes))
	if err != nil {
		return err
	}
	m.region = r
	if m.onNewRegion != nil {
		m.onNewRegion(r)
	}
	return nil
}

// retireRegion gives up the region but keeps the memory that a caller may hold.
func (m *laneMemory) retireRegion() {
	if m.region != nil {
		m.retired = append(m.retired, m.region)
	}
	m.region = nil
}

// inputSlot returns the first n bytes of the slot of input i.
func (m *laneMemory) inputSlot(i, n int) []byte {
	at := 0
	for _, room := range m.inputSizes[:i] {
		at += room
	}
	return m.region.data[at : at+n : at+n]
}

// inputsEnd returns the offset at which the slots of the inputs end. It is at least alignment, because an offset of 0
// would mean that there is no region.
func (m *laneMemory) inputsEnd() int {
	end := 0
	for _, room := range m.inputSizes {
		end += room
	}
	return max(end, alignment)
}

// putInput returns the offset of input i in the region. It copies the input if it is not already there.
func (m *laneMemory) putInput(i int, data []byte) uint64 {
	if offset, ok := m.region.offsetOf(data); ok && offset%alignment == 0 {
		return offset
	}
	place := m.inputSlot(i, len(data))
	copy(place, data)
	offset, _ := m.region.offsetOf(place)
	return offset
}

// discardRetired frees the memory of retired regions. Their addresses stay mapped until close and read as zeros.
func (m *laneMemory) discardRetired() {
	for _, r := range m.retired {
		r.discardPages()
	}
	m.empty, m.retired = append(m.empty, m.retired...), nil
}

// close unmaps all regions. Their memory must not be in use.
func (m *laneMemory) close() {
	m.retireRegion()
	for _, r := range append(m.empty, m.retired...) {
		r.close()
	}
	m.empty, m.retired = nil, nil
}

func alignSize(n int) int { return (n + alignment - 1) &^ (alignment - 1) }
