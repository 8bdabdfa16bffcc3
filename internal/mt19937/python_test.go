package mt19937

import (
	"slices"
	"testing"
)

// TestPython: the wanted numbers are those that Python 3.11 gave.
func TestPython(t *testing.T) {
	r := NewPython(0xC0FFEE)
	for _, want := range []uint32{4116735509, 2500757463, 2657840376} {
		if got := r.Uint32(); got != want {
			t.Errorf("word %d, want %d", got, want)
		}
	}
	for _, c := range []struct {
		n    int
		want []int
	}{
		{10, []int{5, 2, 6, 9}}, {1000, []int{331, 970, 154, 404, 666, 49, 74, 840}}, {21, []int{10, 4, 12, 1, 2}},
		{85, []int{41, 19, 50, 6, 9, 68}}, {86, []int{41, 19, 50, 83, 6, 9}},
	} {
		if got := NewPython(7).Sample(c.n, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", len(c.want), c.n, got, c.want)
		}
	}
	for seed, want := range map[int64]uint32{1<<40 + 7: 2635837658, -5: 2675342405, 5: 2675342405} {
		if got := NewPython(seed).Uint32(); got != want {
			t.Errorf("seed %d: %d, want %d", seed, got, want)
		}
	}
	all := []int{0, 1, 2, 3, 4, 5, 6}
	NewPython(0).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if !slices.Equal(all, []int{4, 2, 1, 0, 5, 3, 6}) {
		t.Errorf("shuffled: %v", all)
	}
	r = NewPython(7)
	r.Sample(21, 5)
	if got := r.Sample(22, 5); !slices.Equal(got, []int{17, 3, 11, 18, 1}) {
		t.Errorf("%v", got)
	}
	if got := r.IntBelow(1 << 20); got != 450254 {
		t.Errorf("%d", got)
	}
}
