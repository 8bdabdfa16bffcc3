package jpeg

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// subsampled is a decoder of a w x h picture whose second component is dx and dy times smaller, with random samples.
func subsampled(t *testing.T, w, h, dx, dy int) *Decoder {
	t.Helper()
	d := new(Decoder)
	d.frame = frameHeader{w: w, h: h, componentCount: 2}
	d.components[0].h, d.components[0].v = dx, dy
	d.components[1].h, d.components[1].v = 1, 1
	if err := d.setSizes(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	for i := range 2 {
		c := &d.components[i]
		c.plane = make([]uint8, c.stride*d.frame.mcusY*c.v*blockSide)
		for j := range c.plane {
			c.plane[j] = uint8(r.UintN(256))
		}
	}
	return d
}

// TestPartsOfRows shows that a part of a row is what the whole row has there.
func TestPartsOfRows(t *testing.T) {
	for _, factor := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {4, 2}} {
		for _, w := range []int{1, 3, 5, 6, 17, 40} {
			d := subsampled(t, w, 19, factor[0], factor[1])
			for y := range 19 {
				whole := slices.Clone(d.fullRow(1, y, 0, w))
				for x0 := range w {
					for x1 := x0 + 1; x1 <= w; x1++ {
						if got := d.fullRow(1, y, x0, x1); !slices.Equal(got, whole[x0:x1]) {
							t.Fatalf("factors %v, width %d, row %d: samples %d to %d are %v, want %v", factor, w, y, x0,
								x1, got, whole[x0:x1])
						}
					}
				}
			}
		}
	}
}

// TestTriangle compares both-ways interpolation with the real-valued triangle filter.
func TestTriangle(t *testing.T) {
	const w, h = 24, 20
	d := subsampled(t, w, h, 2, 2)
	c := &d.components[1]
	at := func(x, y int) float64 {
		return float64(c.plane[min(max(y, 0), c.samplesY-1)*c.stride+min(max(x, 0), c.samplesX-1)])
	}
	for y := range h {
		row := d.fullRow(1, y, 0, w)
		for x := range w {
			fx, fy := x/2+x%2*2-1, y/2+y%2*2-1
			want := (9*at(x/2, y/2) + 3*at(fx, y/2) + 3*at(x/2, fy) + at(fx, fy)) / 16
			if diff := float64(row[x]) - want; diff > 0.5 || diff < -0.5 {
				t.Fatalf("sample %d of row %d: %d, want %v", x, y, row[x], want)
			}
		}
	}
}
