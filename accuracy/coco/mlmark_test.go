package coco

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// mlmarkOf scores detections of the scene.
func mlmarkOf(t *testing.T, rs ...payloadRow) float64 {
	t.Helper()
	s, err := New(scene(), EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(0, records(rs...)); err != nil {
		t.Fatal(err)
	}
	return s.MLMark()
}

func TestMLMark(t *testing.T) {
	low, other := with(catBox, 5, 0.29), with(catBox, 5, 0.95)
	other[1], other[3] = 0.6, 0.85 // far from the cat
	points := func(right int) float64 { return 100 * float64(right) / 101 }
	for name, c := range map[string]struct {
		found []payloadRow
		want  float64
	}{
		// A recall of 1 exceeds 100 of the 101 points.
		"just the boxes":                         {[]payloadRow{catBox, dogBox}, points(100)},
		"what is never detected is left out":     {[]payloadRow{catBox}, points(100)},
		"low scores are dropped":                 {[]payloadRow{low, dogBox}, points(100)},
		"nothing is detected":                    {[]payloadRow{low}, -1},
		"one wrong before a right one":           {[]payloadRow{other, catBox}, points(100) / 2},
		"one wrong after it costs nothing":       {[]payloadRow{with(other, 5, 0.5), catBox}, points(100)},
		"two detections of a box are both right": {[]payloadRow{catBox, catBox}, 100},
	} {
		if got := mlmarkOf(t, c.found...); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestMLMarkAsDefined compares results with a direct implementation of the definition.
func TestMLMarkAsDefined(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		g, rs := scene(), []payloadRow{}
		for i := range 12 {
			x, y := 5*float32(r.IntN(12)), 5*float32(r.IntN(30))
			g.Annotations = append(g.Annotations, Annotation{
				int64(i + 3), 10, []int64{1, 3}[r.IntN(2)], [4]float64{float64(x), float64(y), 30, 40}, 1200, false,
			})
			dx, dy := float32(r.IntN(9)-4), float32(r.IntN(9)-4)
			rs = append(rs, payloadRow{0, (y + dy) / 200, (x + dx) / 100, (y + dy + 40) / 200, (x + dx + 30) / 100, r.Float32(),
				[]float32{1, 3}[r.IntN(2)]})
		}
		s, err := New(g, EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(0, records(rs...)); err != nil {
			t.Fatal(err)
		}
		if got, want := s.MLMark(), plainly(g, s.detections, s.names); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func plainly(g GroundTruth, found []detection, names []Category) float64 {
	sum, n := 0.0, 0
	for rank, c := range names {
		var mine []detection
		for _, d := range found {
			if d.category == int32(rank) && d.score >= 0.3 {
				mine = append(mine, d)
			}
		}
		if len(mine) == 0 {
			continue
		}
		slices.SortStableFunc(mine, func(a, b detection) int {
			if a.score > b.score {
				return -1
			}
			return 1
		})
		var boxes [][4]float64
		for _, a := range g.Annotations {
			if a.Category == c.ID {
				boxes = append(boxes, a.Box)
			}
		}
		for threshold := 50; threshold <= 95; threshold += 5 {
			n++
			for point := range 101 {
				best := 0.0
				right := 0
				for i, d := range mine {
					if slices.ContainsFunc(boxes, func(b [4]float64) bool {
						w := math.Min(float64(d.x+d.w), b[0]+b[2]) - math.Max(float64(d.x), b[0]) + 1
						h := math.Min(float64(d.y+d.h), b[1]+b[3]) - math.Max(float64(d.y), b[1]) + 1
						both := max(w, 0) * max(h, 0)
						return both/((float64(d.w)+1)*(float64(d.h)+1)+(b[2]+1)*(b[3]+1)-both) >= float64(threshold)/100
					}) {
						right++
					}
					if float64(right)/float64(len(boxes)) > float64(point)*0.01 {
						best = max(best, float64(right)/float64(i+1))
					}
				}
				sum += best / 101
			}
		}
	}
	return 100 * sum / float64(n)
}
