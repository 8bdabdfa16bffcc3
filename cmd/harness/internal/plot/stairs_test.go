package plot

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestStairs: lines are steps through the points, at the height of the highest point that reaches an X; what is not
// known is not drawn, Offline is marked, and regions are shaded.
func TestStairs(t *testing.T) {
	nan := math.NaN()
	one := Stairs{Name: "A", Offline: 900, OfflineName: "Offline (elected)", Points: []Stair{
		{1, 100, 80, 1e8, nan, "first"}, {8, 500, 60, 1e8, nan, "second"}, {32, 400, 50, 2e8, nan, "beaten"},
		{64, 900, 20, 3e8, nan, "last"}, {128, nan, nan, nan, nan, "nothing"}}}
	charts := OfStairs([]Stairs{one}, StairsOptions{"tokens/s of one user", []Until{{"low", 8}, {"high", 64}}, true})
	if ids := idsOf(charts); !slices.Equal(ids, []string{"tokens", "users", "ttft", "user"}) {
		t.Fatalf("charts %v", ids)
	}
	l := charts[0].Lines[0]
	if !slices.Equal(l.X, []float64{20, 50, 60, 80}) || !l.Reach || l.Step ||
		l.Knots[0].Aside || !l.Knots[1].Aside || l.Knots[2].Aside || l.Knots[3].Aside {
		t.Errorf("%+v", l)
	}
	// Between 20 and 60 the point at 60 holds; the beaten one is not a corner.
	got := l.lineCorners([]point{{20, 900}, {50, 400}, {60, 500}, {80, 100}})
	if want := []point{{20, 900}, {20, 500}, {60, 500}, {60, 100}, {80, 100}}; !slices.Equal(got, want) {
		t.Errorf("corners %v, want %v", got, want)
	}
	if m := charts[0].Marks; len(m) != 1 || m[0].Vertical || m[0].At != 900 ||
		!strings.HasPrefix(m[0].Name, "Offline (elected), 900") {
		t.Errorf("marks %+v", m)
	}
	if m := charts[1].Marks; len(m) != 1 || m[0].Vertical || charts[1].X.Scale != Log {
		t.Errorf("marks %+v", m)
	}
	if s := charts[1].Shades; !slices.Equal(s, []Shade{{0, 8.5, "low", false}, {8.5, 64.5, "high", true}}) ||
		charts[0].Shades != nil {
		t.Errorf("shades %+v", s)
	}
	for i, words := range map[int][]string{0: {">interpolated, not measured</text>"}, 1: {">low</text>", ">high</text>"}} {
		svg, err := charts[i].SVG()
		for _, want := range words {
			if err != nil || !strings.Contains(string(svg), want) {
				t.Errorf("chart %d lacks %q: %v", i, want, err)
			}
		}
	}
	if charts[1].Lines[0].Between || charts[3].Lines[0].Between || charts[0].Y.Max != 1.06*900 {
		t.Errorf("%+v", charts[1].Lines[0])
	}
	if svg, err := charts[1].SVG(); err != nil || strings.Count(string(svg), `class="f ps"`) != 1 ||
		strings.Index(string(svg), `class="f ps"`) > strings.Index(string(svg), `class="pg"`) {
		t.Errorf("the shade is not beneath the grid: %v", err)
	}
	step := charts[1].Lines[0]
	if !step.Step || step.Reach || !slices.Equal(step.Y, []float64{100, 500, 400, 900}) {
		t.Errorf("%+v", step)
	}
	got = step.lineCorners([]point{{1, 100}, {8, 500}, {32, 400}})
	if want := []point{{1, 100}, {8, 100}, {8, 500}, {32, 500}, {32, 400}}; !slices.Equal(got, want) {
		t.Errorf("corners %v, want %v", got, want)
	}
	if many := OfStairs([]Stairs{one, {Name: "B", Points: one.Points}}, StairsOptions{}); many[0].Marks[0].Line != 1 ||
		many[0].Marks[0].markInk() != inkFirst || many[0].Marks[0].nameInk() != inkText {
		t.Errorf("the ceiling of one of two systems has not its colour: %+v", many[0].Marks)
	}
	for _, c := range charts {
		if svg, err := c.SVG(); err != nil || !strings.Contains(string(svg), "second") {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
}

// TestStairsOfAny: any points can be drawn: none, one, equal ones, those that are no numbers, and more systems than can
// be told apart.
func TestStairsOfAny(t *testing.T) {
	inf := math.Inf(1)
	for name, s := range map[string]Stairs{
		"none": {}, "one": {Name: "A", Points: []Stair{{1, 1, 1, 1, 1, ""}}},
		"equal":    {Name: "A", Points: []Stair{{4, 1, 1, 1, 1, ""}, {4, 1, 1, 1, 1, ""}}},
		"zeros":    {Name: "A", Offline: math.NaN(), Points: []Stair{{0, 0, 0, 0, 0, ""}, {0, 0, 0, 0, 0, ""}}},
		"infinite": {Name: "A", Offline: inf, Points: []Stair{{1, inf, 1, inf, inf, ""}, {2, 1, inf, 1, -inf, ""}}},
	} {
		for _, n := range []int{1, 2, maxLines + 3} {
			for _, c := range OfStairs(slices.Repeat([]Stairs{s}, n), StairsOptions{"user", []Until{{"low", 2}}, true}) {
				if _, err := c.SVG(); err != nil {
					t.Errorf("%s, %d of them: %v", name, n, err)
				}
				if len(c.Lines) > maxLines || n > maxLines && len(c.Notes) != 1 {
					t.Errorf("%s: %d lines, notes %q", name, len(c.Lines), c.Notes)
				}
			}
		}
	}
	if charts := OfStairs(nil, StairsOptions{}); len(charts) > 0 {
		t.Errorf("%d charts of nothing", len(charts))
	}
}

func idsOf(charts []Chart) (ids []string) {
	for _, c := range charts {
		ids = append(ids, c.ID)
	}
	return ids
}
