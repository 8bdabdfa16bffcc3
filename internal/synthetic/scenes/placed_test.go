package scenes

import (
	"testing"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

func TestPlace(t *testing.T) {
	at := draw.Point{X: 100 * draw.Unit, Y: 50 * draw.Unit}
	o := placeFigure(boat, stance{at: at, radius: 20 * draw.Unit, wide: 100})
	// The boat reaches from -95 to 95 percent of the radius across, from -92 to 80 down.
	want := [4]float64{81, 31.6015625, 38, 34.3984375}
	if o.bounds.pixels() != want {
		t.Errorf("box %v, want %v", o.bounds.pixels(), want)
	}
	mirrored := placeFigure(boat, stance{at: at, radius: 20 * draw.Unit, wide: 100, mirror: true})
	if a, b := o.figureArea(), mirrored.figureArea(); a != b || mirrored.parts[2].contour[1].X >= at.X {
		t.Errorf("areas %d and %d; the mirrored sail reaches to %d, want it left of %d", a, b,
			mirrored.parts[2].contour[1].X, at.X)
	}
}

func TestAreaOfAContour(t *testing.T) {
	for name, contour := range map[string][]draw.Point{
		"one way": draw.Polygon(0, 0, 4, 0, 4, 3, 0, 3), "the other": draw.Polygon(0, 3, 4, 3, 4, 0, 0, 0),
	} {
		if a := contourArea(contour); a != 12 {
			t.Errorf("%s round: area %d, want 12", name, a)
		}
	}
}

func TestOverlap(t *testing.T) {
	a := bounds{0, 0, 10, 10}
	cases := []struct {
		b                bounds
		ofUnion, ofSmall int
	}{
		{a, 100, 100}, {bounds{20, 20, 30, 30}, 0, 0}, {bounds{10, 0, 20, 10}, 0, 0}, {bounds{5, 0, 15, 10}, 33, 50},
		{bounds{2, 2, 7, 7}, 25, 100},
	}
	for _, c := range cases {
		if u, s := a.overlap(c.b); u != c.ofUnion || s != c.ofSmall {
			t.Errorf("%v: %d %% of the union, %d %% of the smaller; want %d, %d", c.b, u, s, c.ofUnion, c.ofSmall)
		}
	}
}
