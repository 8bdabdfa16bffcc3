package mt19937

import "testing"

// TestStandardSequence: the C++ standard names the 10,000th word of the seed 5489 (ISO/IEC 14882, rand.predef).
func TestStandardSequence(t *testing.T) {
	m := New(5489)
	for range 9999 {
		m.Uint32()
	}
	if got := m.Uint32(); got != 4123659995 {
		t.Errorf("word 10,000 is %d, want 4123659995", got)
	}
}
