package results

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// curveOf is a curve of points: tokens/s of one user, of all.
func curveOf(system string, points ...[2]float64) Curve {
	c := Curve{System: system, Model: "m"}
	for i, p := range points {
		c.Points = append(c.Points, Point{Concurrency: i + 1, TPSPerUser: &p[0], SystemTPS: &p[1]})
	}
	return c
}

func TestCompare(t *testing.T) {
	dedicated := curveOf("", [2]float64{500, 9000}).Points[0]
	dedicated.Offline = "dedicated"
	a := curveOf("A", [2]float64{100, 200}, [2]float64{50, 800}, [2]float64{20, 1000})
	a.Points = append(a.Points, dedicated)
	b := curveOf("B", [2]float64{80, 500}, [2]float64{20, 1000})
	r := &Results{Curves: []Curve{a, b, {System: "A", Model: "alone"}}}
	all := r.Compare()
	if len(all) != 1 || all[0].Model != "m" {
		t.Fatalf("%+v", all)
	}
	want := []Lead{{0, 20, "A = B", 1}, {20, 50, "A", 1.6}, {50, 80, "B", 2.5}, {80, 100, "A", 0}}
	if !slices.Equal(all[0].Leads, want) {
		t.Errorf("leads %+v, want %+v", all[0].Leads, want)
	}
	// A: 1000 up to 20, 800 up to 50, 200 up to 100; B: 1000 up to 20, 500 up to 80.
	if areas := []Share{{"A", 54_000}, {"B", 50_000}}; !slices.Equal(all[0].Areas, areas) {
		t.Errorf("areas %+v, want %+v", all[0].Areas, areas)
	}
	var out bytes.Buffer
	if err := r.writeComparisons(&out); err != nil || !strings.Contains(out.String(), "no other gets there") {
		t.Errorf("%v:\n%s", err, &out)
	}
}

// TestAreasBySums: the area under random steps is that of many thin strips.
func TestAreasBySums(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 46))
	for range 20 {
		var points [][2]float64
		for range 8 {
			points = append(points, [2]float64{random.Float64() * 100, random.Float64() * 1000})
		}
		curves := []Curve{curveOf("A", points[:4]...), curveOf("B", points[4:]...)}
		c := compareCurves("m", curves)
		for _, s := range c.Areas {
			curve, sum := curves[0], 0.0
			if s.System == "B" {
				curve = curves[1]
			}
			const strips = 100_000
			for i := range strips {
				sum += curve.throughputAt((float64(i)+0.5)*100/strips) * 100 / strips
			}
			if math.Abs(sum-s.Area) > 1e-3*s.Area {
				t.Errorf("%+v: %v by strips", s, sum)
			}
		}
	}
}

func TestJoin(t *testing.T) {
	one := &Results{Organisation: "a", Submission: "1", Errors: 1, Curves: []Curve{{System: "x"}}}
	two := &Results{Organisation: "b", Submission: "2", Warnings: 2, Curves: []Curve{{System: "x"}}}
	if Join([]*Results{one}) != one {
		t.Error("one submission changes")
	}
	r := Join([]*Results{one, two})
	if r.Organisation != "a+b" || r.Errors != 1 || r.Warnings != 2 || len(r.Curves) != 2 || r.Curves[1].System != "b/x" {
		t.Errorf("%+v", r)
	}
}
