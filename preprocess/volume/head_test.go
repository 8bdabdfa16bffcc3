package volume

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// shell is a head of 5 voxels a side in a volume of 7, one channel of 1 and 3 in turn, 0 in its middle; opened, the
// zeros reach its border.
func shell(opened bool) [][]float32 {
	values := make([]float32, 7*7*7)
	for z := 1; z < 6; z++ {
		for y := 1; y < 6; y++ {
			for x := 1; x < 6; x++ {
				if (z != 3 || y != 3 || x != 3) && !(opened && y == 3 && x == 3 && z > 2) {
					values[(z*7+y)*7+x] = float32(1 + 2*((z+y+x)%2))
				}
			}
		}
	}
	return [][]float32{values, make([]float32, len(values))}
}

func TestHolesOfAHeadBelongToIt(t *testing.T) {
	from := Shape{7, 7, 7}
	for _, c := range []struct {
		opened bool
		voxels int
	}{{false, 125}, {true, 122}} {
		got, box, err := BraTS(Shape{8, 6, 5}).PrepareImage(nil, shell(c.opened), from)
		if err != nil || box != (Box{Shape{1, 1, 1}, Shape{5, 5, 5}}) {
			t.Fatalf("box %+v, %v", box, err)
		}
		var sum, squares float64
		n := 0
		for _, v := range got[:8*6*5] {
			if v != 0 {
				n++
			}
			sum, squares = sum+float64(v), squares+float64(v)*float64(v)
		}
		if n != c.voxels || math.Abs(sum) > 1e-4 || math.Abs(squares-float64(c.voxels)) > 1e-3 {
			t.Errorf("opened: %t: %d voxels, sum %v, squares %v", c.opened, n, sum, squares)
		}
		if slices.ContainsFunc(got[8*6*5:], func(v float32) bool { return v != 0 }) {
			t.Error("an empty channel is not 0")
		}
		if got[0] != 0 || got[(1*6+0)*5] == 0 || got[(6*6+0)*5] != 0 || got[(1*6+5)*5] != 0 {
			t.Error("one voxel of padding before and two behind the first axis, none and one at the second")
		}
	}
}

func TestNaNInAHeadCountsAsZero(t *testing.T) {
	channels := shell(false)
	channels[0][(1*7+1)*7+1] = float32(math.NaN())
	got, _, err := BraTS(Shape{5, 5, 5}).PrepareImage(nil, channels, Shape{7, 7, 7})
	if err != nil || got[0] != got[(2*5+2)*5+2] || got[0] != got[0] {
		t.Errorf("%v: NaN became %v, the hole %v", err, got[0], got[(2*5+2)*5+2])
	}
}

func TestHeadsThatCannotBePrepared(t *testing.T) {
	infinite := shell(false)
	infinite[1][3] = float32(math.Inf(1))
	for _, c := range []struct {
		channels [][]float32
		padded   Shape
		want     string
	}{
		{[][]float32{make([]float32, 343)}, Shape{8, 8, 8}, "there is no head"},
		{[][]float32{make([]float32, 343), make([]float32, 342)}, Shape{8, 8, 8}, "channel 1: "},
		{shell(false), Shape{8, 4, 8}, "a head of [5 5 5] voxels, want 1 to [8 4 8]"},
		{infinite, Shape{8, 8, 8}, "channel 1: voxel 3 is +Inf"},
	} {
		if _, _, err := BraTS(c.padded).PrepareImage(nil, c.channels, Shape{7, 7, 7}); !errors.Is(err, ErrVolume) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestSum32 has sums that differ from those of one running sum.
func TestSum32(t *testing.T) {
	v := make([]float32, 100_003)
	for i := range v {
		v[i] = 0.1
	}
	if got := sum32(v); math.Abs(float64(got)-10000.3) > 0.01 {
		t.Errorf("sum of 100,003 tenths: %v", got)
	}
	if got := sum32([]float32{1 << 24, 1, 1, 1, 1, 1, 1, 1}); got != 1<<24+6 {
		t.Errorf("eight running sums give %v", got)
	}
	if got := sum32([]float32{1, 2, 3}); got != 6 {
		t.Errorf("%v", got)
	}
}

func BenchmarkHead(b *testing.B) {
	from := Shape{155, 240, 240}
	channels := make([][]float32, 4)
	for c := range channels {
		channels[c] = make([]float32, from.Voxels())
		for i := range channels[c] {
			if z, y, x := i/57600, i/240%240, i%240; z > 9 && z < 140 && y > 40 && y < 200 && x > 50 && x < 190 {
				channels[c][i] = float32(i % 1000)
			}
		}
	}
	var dst []float32
	b.ReportAllocs()
	for b.Loop() {
		dst, _, _ = BraTS(Shape{160, 224, 224}).PrepareImage(dst, channels, from)
	}
}
