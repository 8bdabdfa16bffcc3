package process

import "testing"

// If a region cannot be made, no slot is wider than the existing region.
func TestFailedRegionLeavesNone(t *testing.T) {
	m := &laneMemory{inputSizes: make([]int, 2)}
	defer m.close()
	if _, err := m.reserveInput(0, 100); err != nil {
		t.Skip("no memory is shared on this system:", err)
	}
	if _, err := m.reserveInput(1, 1<<60); err == nil {
		t.Fatal("a region of an exabyte was made")
	}
	if data, err := m.reserveInput(1, 4*firstRoom); err == nil && len(data) != 4*firstRoom {
		t.Errorf("%d bytes, want %d", len(data), 4*firstRoom)
	}
}
