package volume

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func newSliding(t testing.TB, window int) *Sliding {
	t.Helper()
	s, err := NewSliding(window)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOriginsGoWidthFastest(t *testing.T) {
	got := newSliding(t, 4).AppendOrigins(nil, Shape{6, 4, 6})
	want := [][3]int{{0, 0, 0}, {0, 0, 2}, {2, 0, 0}, {2, 0, 2}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCutCopiesAWindow(t *testing.T) {
	s, shape := newSliding(t, 4), Shape{6, 8, 6}
	image, window := ramp(shape), make([]float32, 64)
	s.CutWindow(window, image, shape, [3]int{2, 4, 2})
	for i, v := range window {
		if want := float32(100*(2+i/16) + 10*(4+i/4%4) + 2 + i%4); v != want {
			t.Fatalf("value %d is %v, want %v", i, v, want)
		}
	}
}

func TestImportanceIsAGaussianWithItsPeakAtTheMiddle(t *testing.T) {
	cube := newSliding(t, 8).Importance()
	if middle := cube[(4*8+4)*8+4]; middle != 1 || slices.Max(cube) != 1 || slices.Min(cube) <= 0 {
		t.Errorf("middle %v, least %v, most %v", middle, slices.Min(cube), slices.Max(cube))
	}
	for i, v := range cube {
		if mirrored := cube[len(cube)-1-i]; v != mirrored {
			t.Fatalf("voxel %d weighs %v, its mirror image %v", i, v, mirrored)
		}
	}
}

// TestBlendEqualsTheWholeVolume compares the rolling layer with sums over a whole volume, with random scores in which
// ties occur.
func TestBlendEqualsTheWholeVolume(t *testing.T) {
	const classes = 3
	s := newSliding(t, 8)
	b := NewBlend(s, classes)
	for _, shape := range []Shape{{8, 8, 8}, {24, 12, 16}, {12, 8, 32}} { // in used memory from the second on
		random := rand.New(rand.NewPCG(1, uint64(shape[0])))
		sums, norm := make([]float32, classes*shape.Voxels()), make([]float32, shape.Voxels())
		got := make([]uint8, shape.Voxels())
		if err := b.Start(shape, got); err != nil {
			t.Fatal(err)
		}
		for _, origin := range s.AppendOrigins(nil, shape) {
			scores := make([]float32, classes*s.Voxels())
			for i := range scores {
				scores[i] = float32(random.IntN(5))
			}
			addWhole(s, shape, origin, scores, sums, norm)
			if err := b.Add(origin, scores); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Finish(); err != nil {
			t.Fatal(err)
		}
		if want := best(sums, norm); !slices.Equal(got, want) {
			t.Errorf("shape %v: classes differ from those of the whole volume", shape)
		}
	}
}

// addWhole adds a window's scores and weights to those of a volume.
func addWhole(s *Sliding, shape Shape, origin [3]int, scores, sums, norm []float32) {
	w := s.Window()
	for i, weight := range s.Importance() {
		at := ((origin[0]+i/(w*w))*shape[1]+origin[1]+i/w%w)*shape[2] + origin[2] + i%w
		norm[at] += weight
		for class := range len(scores) / s.Voxels() {
			sums[class*shape.Voxels()+at] += float32(scores[class*s.Voxels()+i] * weight)
		}
	}
}

func best(sums, norm []float32) []uint8 {
	classes := make([]uint8, len(norm))
	for i, n := range norm {
		top := sums[i] / n
		for class := 1; class*len(norm) < len(sums); class++ {
			if score := sums[class*len(norm)+i] / n; score > top {
				top, classes[i] = score, uint8(class)
			}
		}
	}
	return classes
}

func TestNaNScoresWin(t *testing.T) {
	s := newSliding(t, 2)
	b, got := NewBlend(s, 3), make([]uint8, 8)
	scores := make([]float32, 24)
	scores[0], scores[8] = 5, nan()
	scores[9], scores[17] = nan(), nan()
	if err := b.Start(Shape{2, 2, 2}, got); err != nil {
		t.Fatal(err)
	}
	if err := b.Add([3]int{}, scores); err != nil {
		t.Fatal(err)
	}
	if err := b.Finish(); err != nil || got[0] != 1 || got[1] != 1 || got[2] != 0 {
		t.Errorf("classes %v, error %v: NumPy's argmax takes the first NaN", got, err)
	}
}

func nan() float32 {
	zero := float32(0)
	return zero / zero
}

func TestBlendRefuses(t *testing.T) {
	s := newSliding(t, 4)
	for _, shape := range []Shape{{4, 4, 3}, {4, 2, 4}, {5, 4, 4}, {0, 4, 4}} {
		wantError(t, NewBlend(s, 2).Start(shape, make([]uint8, max(shape.Voxels(), 0))), "shape")
	}
	b := NewBlend(s, 2)
	wantError(t, b.Start(Shape{4, 4, 4}, make([]uint8, 63)), "63 values")
	if err := b.Start(Shape{6, 4, 4}, make([]uint8, 96)); err != nil {
		t.Fatal(err)
	}
	wantError(t, b.Add([3]int{}, make([]float32, 127)), "127 scores for a window, want 128")
	if err := b.Add([3]int{2, 0, 0}, make([]float32, 128)); err != nil {
		t.Fatal(err)
	}
	wantError(t, b.Add([3]int{0, 0, 0}, make([]float32, 128)), "want ascending order")
	wantError(t, b.Finish(), "1 windows added, want the 2")
	for _, window := range []int{0, -2, 3, 1 << 20} {
		_, err := NewSliding(window)
		wantError(t, err, "want an even number")
	}
}
