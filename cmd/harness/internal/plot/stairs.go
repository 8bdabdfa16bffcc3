package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// Stairs are the points that one system has of a model, at fixed numbers of users. Between points nothing is known, so
// that lines are steps.
type Stairs struct {
	Name   string // tells it from others
	Points []Stair
	// Offline are the tokens per second of its Offline run, named after how it came to be; 0: none.
	Offline     float64
	OfflineName string
}

// Stair is a point. What is not known is NaN.
type Stair struct {
	Users  float64
	Tokens float64 // per second, of all users
	User   float64 // per second, of one user
	TTFT   float64 // ns
	Power  float64 // tokens per second of a kW
	Words  string  // say all of this
}

// Until is where a region of the numbers of users ends.
type Until struct {
	Name  string
	Users float64
}

// OfStairs are the charts of systems: tokens per second over those of one user, named user, and over users; times to
// the first token, and tokens per second of a kW, over users. Regions are marked over users. A chart without a point is
// not among them.
func OfStairs(all []Stairs, user string, regions []Until) (charts []Chart) {
	shown := all[:min(len(all), maxLines)]
	users := Axis{Label: "users", Whole: true}
	low, high := math.Inf(1), 0.0
	for _, s := range shown {
		for _, p := range s.Points {
			low, high = min(low, p.Users), max(high, p.Users)
		}
	}
	if low > 0 && high/low >= 16 {
		users.Scale, users.Min, users.Max = Log, low, high
	}
	tokens := Axis{Label: "tokens/s of all users", Min: 0, Max: 1e-9}
	byUsers := func(p Stair) float64 { return p.Users }
	ofTokens := func(p Stair) float64 { return p.Tokens }
	for _, d := range []struct {
		id, title string
		x, y      Axis
		ofX, ofY  func(Stair) float64
	}{
		{"tokens", "Tokens per second over those of one user", Axis{Label: user}, tokens,
			func(p Stair) float64 { return p.User }, ofTokens},
		{"users", "Tokens per second over users", users, tokens, byUsers, ofTokens},
		{"ttft", capitalize(metric.TTFT.Title) + ", p90, over users", users,
			Axis{Label: metric.TTFT.Title, Of: Latency, Min: 0, Max: 1}, byUsers, func(p Stair) float64 { return p.TTFT }},
		{"power", "Tokens per second of a kW over users", users, Axis{Label: "tokens/s of a kW", Min: 0, Max: 1e-9},
			byUsers, func(p Stair) float64 { return p.Power }},
	} {
		c := Chart{ID: d.id, Title: d.title, X: d.x, Y: d.y}
		reach := d.id == "tokens"
		for _, s := range shown {
			if l := s.stairLine(d.ofX, d.ofY, reach); len(l.X) > 0 {
				c.Lines = append(c.Lines, l)
			}
		}
		if len(c.Lines) == 0 {
			continue
		}
		if reach || d.id == "users" {
			c.markCeilings(shown)
		}
		if !reach {
			c.markRegionEnds(regions)
		}
		c.Alt = c.sayStairs()
		if len(all) > len(shown) {
			c.Notes = append(c.Notes, fmt.Sprintf("The first %d of %d systems.", len(shown), len(all)))
		}
		charts = append(charts, c)
	}
	return charts
}

// stairLine goes through a system's points in the order of X. One with reach leaves out those that another point is
// better than in X and Y: what is known at an X is the highest point that reaches it.
func (s Stairs) stairLine(ofX, ofY func(Stair) float64, reach bool) Line {
	l := Line{Name: s.Name, Step: !reach, Reach: reach}
	points := slices.DeleteFunc(slices.Clone(s.Points), func(p Stair) bool {
		return !isFinite(ofX(p)) ||
			!isFinite(ofY(p))
	})
	slices.SortStableFunc(points, func(a, b Stair) int { return cmp.Compare(ofX(a), ofX(b)) })
	for i, p := range points {
		beaten := func(o Stair) bool { return ofY(o) > ofY(p) }
		l.X, l.Y = append(l.X, ofX(p)), append(l.Y, ofY(p))
		l.Knots = append(l.Knots, Knot{Name: countUsers(p.Users), Words: p.Words,
			Aside: reach && slices.ContainsFunc(points[i+1:], beaten)})
	}
	return l
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// markCeilings marks the Offline runs.
func (c *Chart) markCeilings(all []Stairs) {
	for _, s := range all {
		if !isFinite(s.Offline) || !(s.Offline > 0) {
			continue
		}
		name := s.OfflineName + ", " + formatFigure(s.Offline) + " tokens/s"
		if len(all) > 1 {
			name = s.Name + ": " + name
		}
		c.Marks = append(c.Marks, Mark{Name: name, At: s.Offline})
	}
}

// markRegionEnds marks where regions end, and shades every second one.
func (c *Chart) markRegionEnds(regions []Until) {
	from := 0.0
	for i, r := range regions {
		if i%2 == 0 {
			c.Shades = append(c.Shades, Shade{from, r.Users})
		}
		from = r.Users
		c.Marks = append(c.Marks, Mark{Name: r.Name, At: r.Users, Vertical: true})
	}
}

// countUsers is a number of users.
func countUsers(users float64) string { return strconv.FormatFloat(users, 'f', -1, 64) }

// sayStairs says what the lines are.
func (c *Chart) sayStairs() string {
	at := formatFigure
	if c.X.Whole {
		at = countUsers
	}
	said := make([]string, 0, len(c.Lines))
	for _, l := range c.Lines {
		said = append(said, fmt.Sprintf("%s from %s at %s to %s at %s", l.Name, c.valueText(l.Y[0]), at(l.X[0]),
			c.valueText(l.Y[len(l.Y)-1]), at(l.X[len(l.X)-1])))
	}
	return strings.Join(said, "; ") + " " + c.X.Label + ", in steps."
}
