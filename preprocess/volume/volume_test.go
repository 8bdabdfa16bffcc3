package volume

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// ramp is a volume whose values say where they are: 100 z + 10 y + x.
func ramp(shape Shape) []float32 {
	var values []float32
	for z := range shape[0] {
		for y := range shape[1] {
			for x := range shape[2] {
				values = append(values, float32(100*z+10*y+x))
			}
		}
	}
	return values
}

// unit is the spacing at which nothing is resampled.
func unit() [3]float64 { return targetSpacing() }

func TestImageOfTargetSpacingIsOnlyNormalisedAndFitted(t *testing.T) {
	from := Shape{8, 9, 11} // whole, one voxel over, one missing
	image := ramp(from)
	got, shape, err := KiTS19(8).PrepareImage(make([]float32, 3), image, from, unit())
	if err != nil || shape != (Shape{8, 8, 12}) {
		t.Fatalf("shape %v, error %v", shape, err)
	}
	for z := range 8 {
		for y := range 8 {
			for x := range 12 {
				want := float32(paddingValue) // the missing voxel goes to the back
				if x < 11 {
					want = normaliseHU(image[(z*9+y)*11+x]) // the one over is cut at the back
				}
				if v := got[(z*8+y)*12+x]; v != want {
					t.Fatalf("voxel (%d, %d, %d) is %v, want %v", z, y, x, v, want)
				}
			}
		}
	}
}

func TestShortAxesRepeatTheirEnds(t *testing.T) {
	labels, shape, err := KiTS19(8).PrepareLabels(nil, []uint8{1, 2, 0}, Shape{1, 1, 3}, unit())
	if err != nil || shape != (Shape{8, 8, 8}) {
		t.Fatalf("shape %v, error %v", shape, err)
	}
	for line := range 64 {
		if got, want := labels[8*line:][:8], []uint8{1, 1, 1, 2, 0, 0, 0, 0}; !slices.Equal(got, want) {
			t.Fatalf("line %d is %v, want %v", line, got, want)
		}
	}
}

func TestResamplingInterpolates(t *testing.T) {
	spacing := unit()
	spacing[2] *= 2
	a, err := resampleAxis(4, spacing[2]/unit()[2])
	if err != nil || len(a) != 8 {
		t.Fatalf("%d indices, error %v", len(a), err)
	}
	for i, tap := range a { // the ends coincide: 3/7 of a voxel from one to the next
		at := float64(tap.sourceIndex) + tap.farWeight
		if math.Abs(at-float64(i)*3/7) > 1e-12 || tap.nearestIndex != int(math.Floor(float64(i)*3/7+0.5)) {
			t.Errorf("index %d comes from %v, nearest %d", i, at, tap.nearestIndex)
		}
	}
}

func TestLengthsRoundHalfToEven(t *testing.T) {
	for _, c := range []struct {
		n      int
		factor float64
		want   int
	}{{5, 0.5, 2}, {7, 0.5, 4}, {3, 1, 3}, {1, 0.6, 1}, {10, 0.05, 0}, {10, 0.151, 2}} {
		a, err := resampleAxis(c.n, c.factor)
		if len(a) != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%d voxels by %v: %d, error %v, want %d", c.n, c.factor, len(a), err, c.want)
		}
	}
}

// TestBeyondTheEndIsTheLeastValue has an axis whose last coordinate rounds to more than the last index, which
// scipy takes to be outside.
func TestBeyondTheEndIsTheLeastValue(t *testing.T) {
	n, factor := beyond(t)
	image := make([]float32, n)
	for i := range image {
		image[i] = float32(20 + i)
	}
	a, err := resampleAxis(n, factor)
	if err != nil {
		t.Fatal(err)
	}
	one, err := resampleAxis(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &resamplePlan{from: Shape{1, 1, n}, axes: [3]axisTaps{one, one, a}}
	got := make([]float32, len(a))
	p.interpolateImage(got, image, 20, func(v float32) float32 { return v })
	if got[len(got)-1] != 20 || got[len(got)-2] < 20+float32(n)/2 {
		t.Errorf("the last values are %v, want the least one at the very end", got[len(got)-2:])
	}
}

// beyond finds a length and a factor whose last coordinate is outside.
func beyond(t *testing.T) (int, float64) {
	for n := 2; n < 400; n++ {
		for m := n + 1; m < n+200; m++ {
			if step := float64(n-1) / float64(m-1); float64(m-1)*step > float64(n-1) {
				return n, float64(m) / float64(n)
			}
		}
	}
	t.Skip("no coordinate rounds upwards on this machine")
	return 0, 0
}

func TestBadVolumes(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name    string
		image   []float32
		shape   Shape
		spacing [3]float64
		want    string
	}{
		{"values missing", make([]float32, 7), Shape{2, 2, 2}, unit(), "7 values for shape [2 2 2]"},
		{"no voxels", nil, Shape{0, 2, 2}, unit(), "0 values for shape [0 2 2]"},
		{"negative", make([]float32, 4), Shape{-2, -2, 1}, unit(), "shape [-2 -2 1]"},
		{"spacing 0", make([]float32, 8), Shape{2, 2, 2}, [3]float64{1, 0, 1}, "spacing [1 0 1] mm"},
		{"spacing NaN", make([]float32, 8), Shape{2, 2, 2}, [3]float64{1, 1, math.NaN()}, "want numbers above 0"},
		{"spacing infinite", make([]float32, 8), Shape{2, 2, 2}, [3]float64{1, math.Inf(1), 1}, "want numbers above 0"},
		{"too fine", make([]float32, 8), Shape{2, 2, 2}, [3]float64{1, 1, 1e-6}, "axis 2, spacing 1e-06 mm"},
		{"too coarse", make([]float32, 8), Shape{2, 2, 2}, [3]float64{1e9, 1, 1}, "want 1 to 32768 voxels"},
		{"NaN", []float32{0, 0, 0, 0, 0, nan, 0, 0}, Shape{2, 2, 2}, unit(), "voxel (1, 0, 1) is NaN"},
		{"infinite", []float32{0, 0, 0, inf, 0, 0, 0, 0}, Shape{2, 2, 2}, unit(), "voxel (0, 1, 1) is +Inf"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := KiTS19(8).PrepareImage(nil, c.image, c.shape, c.spacing)
			wantError(t, err, c.want)
			if strings.HasPrefix(c.want, "voxel") {
				return
			}
			_, _, err = KiTS19(8).PrepareLabels(nil, make([]uint8, len(c.image)), c.shape, c.spacing)
			wantError(t, err, c.want)
		})
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if !errors.Is(err, ErrVolume) || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one about %q", err, part)
	}
}

func TestKiTS19WantsAWindow(t *testing.T) {
	for _, window := range []int{0, -4, 6, 130} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a window of %d passed", window)
				}
			}()
			KiTS19(window)
		}()
	}
}

func TestShapesAreWholeStrides(t *testing.T) {
	r := KiTS19(16)
	for n := 1; n < 60; n++ {
		shape, err := r.PreparedShape(Shape{n, n, n}, [3]float64{2.3, 0.9, 1.2})
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range shape {
			if side < 16 || side%8 != 0 {
				t.Fatalf("%d voxels a side become %v", n, shape)
			}
		}
		if n >= 16 && (shape[2] > n+4 || shape[2] < n-4) {
			t.Errorf("%d voxels that are not resampled become %d, want the nearest whole stride", n, shape[2])
		}
	}
}

// FuzzRecipe checks that no shape and no spacing crashes the recipe, that what passes fits the windows, and that values
// stay within those of the source and the padding.
func FuzzRecipe(f *testing.F) {
	f.Add(uint8(3), uint8(4), uint8(5), 3.0, 0.8, 0.8)
	f.Add(uint8(1), uint8(1), uint8(40), 1.6, 1.2, 1.2)
	f.Add(uint8(9), uint8(2), uint8(2), 0.3, 7.0, -1.0)
	f.Fuzz(func(t *testing.T, d, h, w uint8, dz, dy, dx float64) {
		from, spacing := Shape{int(d % 24), int(h % 24), int(w % 24)}, [3]float64{dz, dy, dx}
		for _, s := range spacing {
			if s > 20 {
				return // large, not wrong
			}
		}
		r := KiTS19(8)
		image := make([]float32, max(from.Voxels(), 0))
		for i := range image {
			image[i] = float32(i % 90)
		}
		got, shape, err := r.PrepareImage(nil, image, from, spacing)
		if err != nil {
			return
		}
		s, err := NewSliding(8)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.CheckShape(shape, len(got)); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if v != paddingValue && !(v >= normaliseHU(0) && v <= normaliseHU(90)) {
				t.Fatalf("voxel %d is %v", i, v)
			}
		}
	})
}
