package draw

import (
	"bytes"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
	"testing"
)

func TestRandomIsSplitMix64(t *testing.T) {
	var r Random
	// The first outputs for state 0 of the authors' published program.
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := r.Uint64(); got != want {
			t.Errorf("output %d is %#x, want %#x", i, got, want)
		}
	}
}

func TestRandomKeysMatterInOrder(t *testing.T) {
	seen := map[uint64]bool{}
	for _, keys := range [][]uint64{{1}, {2}, {1, 0}, {0, 1}, {1, 2}, {2, 1}} {
		seen[NewRandom(keys...).Uint64()] = true
	}
	if len(seen) != 6 {
		t.Errorf("6 lists of keys give %d sequences", len(seen))
	}
}

func TestBetweenReachesBothEnds(t *testing.T) {
	r := NewRandom(1)
	count := map[int]int{}
	for range 3000 {
		count[r.IntBetween(-1, 1)]++
	}
	for v := -1; v <= 1; v++ {
		if count[v] < 900 || len(count) != 3 {
			t.Fatalf("3000 draws of -1 to 1: %v", count)
		}
	}
}

func TestShuffledIsAPermutation(t *testing.T) {
	order := NewRandom(7).Shuffled(25)
	if slices.IsSorted(order) {
		t.Error("25 numbers in their natural order")
	}
	slices.Sort(order)
	for i, v := range order {
		if i != v {
			t.Fatalf("sorted: %v", order)
		}
	}
}

func TestSinIsClose(t *testing.T) {
	for angle := -Turn; angle <= 2*Turn; angle += 37 {
		want := math.Sin(2 * math.Pi * float64(angle) / Turn)
		if got := float64(Sin(angle)) / 16384; math.Abs(got-want) > 0.0017 {
			t.Fatalf("Sin(%d) = %v, want %v", angle, got, want)
		}
	}
}

func TestSqrtIsTheFloor(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 8, 9, 15, 16, 17, 1<<20 - 1, 1 << 20, 1<<40 - 1, 1<<40 + 1} {
		if s := Sqrt(n); s*s > n || (s+1)*(s+1) <= n {
			t.Errorf("Sqrt(%d) = %d", n, s)
		}
	}
}

func TestPoseInvertUndoesApply(t *testing.T) {
	r := NewRandom(3)
	for range 500 {
		pose := NewPose(Point{r.IntBetween(-9999, 99999), r.IntBetween(-9999, 99999)}, r.IntBelow(Turn))
		p := Point{r.IntBetween(-30000, 30000), r.IntBetween(-30000, 30000)}
		q := pose.Invert(pose.Apply(p))
		// Sin and Cos are off by 0.0017 each, which scales lengths by up to 0.4 %.
		if limit := 30000 * 5 / 1000; abs(q.X-p.X) > limit || abs(q.Y-p.Y) > limit {
			t.Fatalf("%v comes back as %v", p, q)
		}
	}
}

func abs(v int) int { return max(v, -v) }

func TestHSV(t *testing.T) {
	tests := []struct {
		hue, saturation, value int
		want                   Color
	}{
		{0, 255, 255, Color{255, 0, 0}},
		{512, 255, 255, Color{0, 255, 0}},
		{1024, 255, 200, Color{0, 0, 200}},
		{256, 255, 255, Color{255, 255, 0}},
		{768, 255, 255, Color{0, 255, 255}},
		{1280, 255, 255, Color{255, 0, 255}},
		{-512, 255, 255, Color{0, 0, 255}},
		{99, 0, 77, Color{77, 77, 77}},
	}
	for _, tt := range tests {
		if got := HSV(tt.hue, tt.saturation, tt.value); got != tt.want {
			t.Errorf("HSV(%d, %d, %d) = %v, want %v", tt.hue, tt.saturation, tt.value, got, tt.want)
		}
	}
}

// coverage returns the sum of a path's coverage, in pixels.
func coverage(p Path, width, height int) float64 {
	var r raster
	sum := 0
	r.eachRow(p, width, height, func(_, _ int, cover []int) {
		for _, c := range cover {
			sum += c
		}
	})
	return float64(sum) / Unit
}

func rectangle(x0, y0, x1, y1 int) []Point { return []Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}} }

func TestCoverageIsTheArea(t *testing.T) {
	tests := []struct {
		name string
		path Path
		want float64
	}{
		{"whole pixels", Path{rectangle(2*Unit, 3*Unit, 7*Unit, 9*Unit)}, 30},
		{"quarters", Path{rectangle(2*Unit+64, 3*Unit+64, 3*Unit+128, 4*Unit)}, 1.25 * 0.75},
		{"within one pixel", Path{rectangle(10, 0, 138, Unit)}, 0.5},
		{"triangle", Path{{{0, 0}, {16 * Unit, 0}, {0, 16 * Unit}}}, 128},
		{"hole", Path{rectangle(0, 0, 16*Unit, 16*Unit), rectangle(4*Unit, 4*Unit, 12*Unit, 12*Unit)}, 192},
		{"beyond all edges", Path{rectangle(-99*Unit, -99*Unit, 99*Unit, 99*Unit)}, 400},
		{"outside", Path{rectangle(-9*Unit, -9*Unit, -Unit, -Unit)}, 0},
		{"no area", Path{{{Unit, Unit}, {9 * Unit, Unit}}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := coverage(tt.path, 20, 20); math.Abs(got-tt.want) > 0.02*tt.want {
				t.Errorf("%v pixels, want %v", got, tt.want)
			}
		})
	}
}

func TestFillBlendsAtTheEdge(t *testing.T) {
	c := NewCanvas(4, 1)
	c.FillPath(Path{rectangle(Unit+128, 0, 3*Unit, Unit)}, Unit, FlatInk(Color{200, 100, 50}))
	want := []uint8{0, 0, 0, 100, 50, 25, 200, 100, 50, 0, 0, 0}
	if got := c.row(0); !slices.Equal(got, want) {
		t.Errorf("pixels %v, want %v", got, want)
	}
}

func TestNoiseKeepsItsAmplitude(t *testing.T) {
	n := NewNoise(NewRandom(5), 7, 100)
	low, high := 0, 0
	for y := range 100 {
		row := make([]int, 100)
		n.AddRow(row, y, 60)
		low, high = min(low, slices.Min(row)), max(high, slices.Max(row))
	}
	if low < -61 || high > 60 || low > -40 || high < 40 {
		t.Errorf("values of %d to %d, want most of -60 to 60", low, high)
	}
}

func TestNoiseRowsDoNotDependOnTheOrder(t *testing.T) {
	up, down := NewNoise(NewRandom(5), 9, 40), NewNoise(NewRandom(5), 9, 40)
	rows := make([][]int, 50)
	for y := range rows {
		rows[y] = make([]int, 40)
		up.AddRow(rows[y], y, 100)
	}
	for y := len(rows) - 1; y >= 0; y-- {
		row := make([]int, 40)
		down.AddRow(row, y, 100)
		if !slices.Equal(row, rows[y]) {
			t.Fatalf("row %d differs", y)
		}
	}
}

func TestGradeLeavesPlainLightAlone(t *testing.T) {
	c := NewCanvas(50, 30)
	c.FillPath(Path{rectangle(0, 0, 50*Unit, 30*Unit)}, Unit, FlatInk(Color{200, 100, 50}))
	before := bytes.Clone(c.data)
	c.Grade(Light{Centre: Unit, Cast: Color{Unit, Unit, Unit}}, NewRandom(1))
	if !bytes.Equal(c.data, before) {
		t.Error("light of gain 1 changes the picture")
	}
	c.Grade(Light{Centre: Unit, Vignette: 100, Cast: Color{Unit, Unit, Unit}}, NewRandom(1))
	if middle, corner := c.row(15)[75], c.row(0)[0]; middle < 198 || corner < 110 || corner > 130 {
		t.Errorf("under a vignette of 100/256: middle %d, corner %d of 200", middle, corner)
	}
}

func TestPNGIsReadBack(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {3, 200}, {640, 360}} {
		c := NewCanvas(size[0], size[1])
		r := NewRandom(9)
		for y := range c.Height {
			for i := range c.row(y) {
				c.row(y)[i] = uint8(r.Uint64())
			}
		}
		checkPNG(t, c)
	}
}

func TestJPEGIsNearThePicture(t *testing.T) {
	c := NewCanvas(61, 17)
	for y := range c.Height {
		mix := make([]int, c.Width)
		for x := range mix {
			mix[x] = 256 * x / c.Width
		}
		c.PaintRow(y, Color{200, 10, 60}, Color{20, 220, 120}, mix)
	}
	img, err := jpeg.Decode(bytes.NewReader(c.JPEG(95)))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != c.Width || b.Dy() != c.Height {
		t.Fatalf("read back: %v, want %d x %d", b, c.Width, c.Height)
	}
	for y := range c.Height {
		for x := range c.Width {
			r, g, b, _ := img.At(x, y).RGBA()
			p := c.row(y)[3*x:]
			for i, v := range []uint32{r, g, b} {
				if d := int(v>>8) - int(p[i]); d < -8 || d > 8 {
					t.Fatalf("pixel %d, %d, colour %d: %d, want about %d", x, y, i, v>>8, p[i])
				}
			}
		}
	}
}

func checkPNG(t *testing.T, c *Canvas) {
	t.Helper()
	data := c.PNG()
	if cap(data) != len(data) {
		t.Errorf("%d bytes in memory for %d", cap(data), len(data))
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != c.Width || b.Dy() != c.Height {
		t.Fatalf("read back: %v, want %d x %d", b, c.Width, c.Height)
	}
	for y := range c.Height {
		for x := range c.Width {
			r, g, b, _ := img.At(x, y).RGBA()
			if p := c.row(y)[3*x:]; uint8(r) != p[0] || uint8(g) != p[1] || uint8(b) != p[2] {
				t.Fatalf("pixel %d, %d differs", x, y)
			}
		}
	}
}
