package lidar

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func officialSpace() Space { return Space{[3]float32{-74.88, -74.88, -2}, [3]float32{74.88, 74.88, 4}} }

func officialGrid(t testing.TB) *Grid {
	t.Helper()
	g, err := NewGrid(officialSpace(), [3]float32{0.32, 0.32, 6}, 20, 32000)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGoldenRange(t *testing.T) {
	golden.Each(t, "vision/pointpainting/range_filter.json", func(t *testing.T, path string) {
		var c struct {
			Points [][3]string
			Kept   []float32 `json:"kept_float32_tensor"`
		}
		golden.ReadJSON(t, path, &c)
		var points []float32
		for i, p := range c.Points {
			for _, text := range p {
				v, err := strconv.ParseFloat(text, 32)
				if err != nil {
					t.Fatal(err)
				}
				points = append(points, float32(v))
			}
			points = append(points, float32(i), 0)
		}
		space, kept := officialSpace(), []float32(nil)
		for p := range slices.Chunk(space.Filter(points), Values) {
			kept = append(kept, p[3])
		}
		if !slices.Equal(kept, c.Kept) {
			t.Errorf("kept %v, want %v", kept, c.Kept)
		}
	})
}

func TestGoldenScores(t *testing.T) {
	golden.Each(t, "vision/pointpainting/segmentation_scores.json", func(t *testing.T, path string) {
		var cases []struct {
			Name   string
			Shape  [3]int
			Logits []float32
			Scores []float32
		}
		golden.ReadJSON(t, path, &cases)
		for _, c := range cases {
			view, n := SegmentedView{c.Shape[1], c.Shape[2], c.Logits}, c.Shape[1]*c.Shape[2]
			got := make([]float32, n*Scores)
			order := make([]int32, n)
			for i := range order {
				order[i] = int32(i)
			}
			view.Score(got, order)
			for i, v := range got {
				if want := c.Scores[i]; math.Abs(float64(v-want)) > 1e-6 {
					t.Errorf("%s: score %d is %v, want %v", c.Name, i, v, want)
				}
			}
		}
	})
}

type paintingCase struct {
	Name    string
	Sizes   [Cameras][2]int
	Calib   map[string][16]float32
	Points  [][Values]float32
	Painted [][Scores]float32
}

func (c *paintingCase) calibration() (out Calibration) {
	out.R0 = c.Calib["R0_rect"]
	for k := range Cameras {
		out.P[k], out.Tr[k] = c.Calib["P"+strconv.Itoa(k)], c.Calib["Tr_velo_to_cam_"+strconv.Itoa(k)]
	}
	return out
}

// everywhere is a space with all points of the cases.
const far = 1 << 12

var everywhere = Space{[3]float32{-far, -far, -far}, [3]float32{far, far, far}}

// TestGoldenPainting paints the points as those of a single pillar, where they are in their order.
func TestGoldenPainting(t *testing.T) {
	golden.Each(t, "vision/pointpainting/painting.json", func(t *testing.T, path string) {
		var cases []paintingCase
		golden.ReadJSON(t, path, &cases)
		painter, pillars := new(Painter), new(Pillars)
		for _, c := range cases {
			var sizes [Cameras]PictureSize
			for k, s := range c.Sizes {
				sizes[k] = PictureSize{s[0], s[1]}
			}
			var points []float32
			for _, p := range c.Points {
				points = append(points, p[:]...)
			}
			calibration := c.calibration()
			grid, err := NewGrid(everywhere, [3]float32{2 * far, 2 * far, 2 * far}, len(c.Points), 1)
			if err != nil {
				t.Fatal(err)
			}
			pillars.Fill(grid, points, Values)
			painter.Start(pillars)
			for camera, size := range sizes {
				painter.AddCamera(&calibration, camera, size, func(dst []float32, pixels []int32) {
					for i := range dst {
						x, y := int(pixels[i/Scores])%size.Width, int(pixels[i/Scores])/size.Width
						dst[i] = float32((7*x+13*y+101*camera+29*(i%Scores))%256) / 256
					}
				})
			}
			painter.Finish()
			if len(pillars.Counts) != 1 || int(pillars.Counts[0]) != len(c.Points) {
				t.Fatalf("%s: pillars of %v points, want one of %d", c.Name, pillars.Counts, len(c.Points))
			}
			for i, want := range c.Painted {
				row := pillars.PillarPoints(0)[i*Painted:][:Painted]
				if !slices.Equal(row[:Values], c.Points[i][:]) || [Scores]float32(row[Values:]) != want {
					t.Errorf("%s: point %d is %v, want %v", c.Name, i, row, want)
				}
			}
		}
	})
}

// draw makes the points of a formula of the cases.
func draw(n int, seed uint64, span, height float64) (points []float32) {
	for k := range uint64(n) {
		v := func(j uint64) float64 {
			z := (seed*1000003 + 16*k + j + 1) * 0x9E3779B97F4A7C15
			z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
			z = (z ^ z>>27) * 0x94D049BB133111EB
			return float64((z^z>>31)>>40) / (1 << 24)
		}
		points = append(points, float32((v(0)*2-1)*span), float32((v(1)*2-1)*span), float32(v(2)*height-1.95))
		for j := uint64(3); j < Painted; j++ {
			points = append(points, float32(v(j)))
		}
	}
	return points
}

func sum(t *testing.T, values any) string {
	t.Helper()
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestGoldenPillars(t *testing.T) {
	golden.Each(t, "vision/pointpainting/voxels.json", func(t *testing.T, path string) {
		var cases []struct {
			Name    string
			Points  [][Painted]float32
			Formula *struct {
				N           int
				Seed        uint64
				Span, ZSpan float64
			}
			PointsSHA256  string `json:"points_sha256"`
			Pillars       int
			PillarsSHA256 string `json:"pillars_sha256"`
			CoorsSHA256   string `json:"coors_sha256"`
			CountsSHA256  string `json:"npoints_sha256"`
			Used          int    `json:"points_used"`
		}
		golden.ReadJSON(t, path, &cases)
		grid, pillars := officialGrid(t), new(Pillars)
		for _, c := range cases {
			var points []float32
			for _, p := range c.Points {
				points = append(points, p[:]...)
			}
			if f := c.Formula; f != nil {
				points = draw(f.N, f.Seed, f.Span, f.ZSpan)
				if got := sum(t, points); got != c.PointsSHA256 {
					t.Fatalf("%s: the points are drawn wrong", c.Name)
				}
			}
			pillars.Fill(grid, points, Painted)
			used := 0
			for _, n := range pillars.Counts {
				used += int(n)
			}
			if len(pillars.Counts) != c.Pillars || used != c.Used {
				t.Errorf("%s: %d pillars of %d points, want %d of %d", c.Name, len(pillars.Counts), used, c.Pillars, c.Used)
			}
			got := []string{sum(t, pillars.Values), sum(t, pillars.Coordinates), sum(t, pillars.Counts)}
			if want := []string{c.PillarsSHA256, c.CoorsSHA256, c.CountsSHA256}; !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", c.Name, got, want)
			}
		}
	})
}

// TestPillarsOfAnotherGrid fills the same memory from two grids by turns.
func TestPillarsOfAnotherGrid(t *testing.T) {
	points := draw(5000, 1, 70, 5)
	small, err := NewGrid(Space{[3]float32{-8, -8, -2}, [3]float32{8, 8, 4}}, [3]float32{1, 2, 6}, 3, 40)
	if err != nil {
		t.Fatal(err)
	}
	again := new(Pillars)
	for _, g := range []*Grid{officialGrid(t), small, officialGrid(t), small} {
		again.Fill(g, points, Painted)
		fresh := new(Pillars)
		fresh.Fill(g, points, Painted)
		if len(fresh.Counts) == 0 || !slices.Equal(again.Values, fresh.Values) || again.Dropped != fresh.Dropped ||
			!slices.Equal(again.Coordinates, fresh.Coordinates) || !slices.Equal(again.Counts, fresh.Counts) {
			t.Errorf("%d pillars of used memory differ from %d of new", len(again.Counts), len(fresh.Counts))
		}
	}
}
