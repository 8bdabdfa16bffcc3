package pcg64

import (
	"slices"
	"testing"
)

// TestNumPy compares with NumPy 2: three numbers of integers(0, 2**32), the indices of choice(2), choice(3), choice(7),
// choice(1) and choice(1000), and four numbers of integers(0, 3_000_000_000). Three in ten of the latter are drawn
// again.
func TestNumPy(t *testing.T) {
	for _, c := range []struct {
		seed uint32
		want []uint32
	}{
		{0, []uint32{3653403231, 2735729615, 2195314465, 0, 0, 0, 0, 75, 49582906, 525801878, 2439810717, 1948247248}},
		{1, []uint32{2032329983, 2198257139, 3243419750, 1, 0, 1, 0, 822, 2845948340, 935494355, 2607075741, 1269979346}},
		{12345, []uint32{3003105693, 976400781, 3387213022, 0, 0, 5, 0, 642, 2028764011, 2518275128, 1794926260, 639429039}},
		{1<<32 - 1, []uint32{819527071, 1082089385, 3110619138, 0, 2, 2, 0, 213, 1856943907, 2121661999, 2805036872,
			395285850}},
	} {
		g := New(c.seed)
		got := []uint32{g.Uint32(), g.Uint32(), g.Uint32()}
		for _, n := range []uint32{2, 3, 7, 1, 1000, 3e9, 3e9, 3e9, 3e9} {
			got = append(got, g.Below(n))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("seed %d: %v, want %v", c.seed, got, c.want)
		}
	}
}
