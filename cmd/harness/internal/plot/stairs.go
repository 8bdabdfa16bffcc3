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

// Stairs contains one system's points for a model at fixed numbers of users. Lines are steps, because values between
// points are unknown.
type Stairs struct {
	Name   string // distinguishes the system from others
	Points []Stair
	// Offline is the tokens per second of the system's Offline run; 0: none. OfflineName is the name of the mark.
	Offline     float64
	OfflineName string
}

// Stair is a point. Unknown values are NaN.
type Stair struct {
	Users  float64
	Tokens float64 // per second, of all users
	User   float64 // per second, of one user
	TTFT   float64 // ns
	Power  float64 // tokens per second per kW
	Words  string  // description of the point
}

// Until is the end of a region of the numbers of users.
type Until struct {
	Name  string
	Users float64
}

// StairsOptions configures the charts of systems.
type StairsOptions struct {
	User    string  // name of the speed of one user, with its unit
	Regions []Until // by number of users, ascending
	Between bool    // adds straight lines between the points of the frontier, labelled interpolated
}

// usersAxis returns the axis of the numbers of users, with space for the names of the first region and the last point.
func usersAxis(all []Stairs) Axis {
	low, high := math.Inf(1), 0.0
	for _, s := range all {
		for _, p := range s.Points {
			low, high = min(low, p.Users), max(high, p.Users)
		}
	}
	if low > 0 && high/low >= 16 {
		return Axis{Label: usersLoad, Whole: true, Scale: Log, Min: low * .6, Max: high * 1.15, Doubling: true}
	}
	return Axis{Label: "users", Whole: true}
}

// OfStairs returns the charts of systems: tokens per second, and tokens per second per kW, against the speed of one
// user and against users; TTFT and the speed of one user against users. Charts against users show the regions. It omits
// charts without points.
func OfStairs(all []Stairs, o StairsOptions) (charts []Chart) {
	shown := all[:min(len(all), maxLines)]
	users, user := usersAxis(shown), Axis{Label: o.User}
	tokens, power := Axis{Label: "tokens/s of all users"}, Axis{Label: "tokens/s of a kW"}
	byUsers := func(p Stair) float64 { return p.Users }
	byUser := func(p Stair) float64 { return p.User }
	ofTokens := func(p Stair) float64 { return p.Tokens }
	ofPower := func(p Stair) float64 { return p.Power }
	for _, d := range []struct {
		id, title string
		x, y      Axis
		ofX, ofY  func(Stair) float64
		reach     bool
	}{
		{"tokens", "Tokens per second over those of one user", user, tokens, byUser, ofTokens, true},
		{"users", "Tokens per second over users", users, tokens, byUsers, ofTokens, false},
		{"power", "Tokens per second of a kW over those of one user", user, power, byUser, ofPower, true},
		{"power-users", "Tokens per second of a kW over users", users, power, byUsers, ofPower, false},
		{"ttft", capitalize(metric.TTFT.Title) + ", p90, over users", users,
			Axis{Label: metric.TTFT.Title, Of: Latency}, byUsers, func(p Stair) float64 { return p.TTFT }, false},
		{"user", "Tokens per second of one user over users", users, user, byUsers, byUser, false},
	} {
		c := Chart{ID: d.id, Title: d.title, X: d.x, Y: d.y}
		for _, s := range shown {
			if l := s.stairLine(d.ofX, d.ofY, d.reach); len(l.X) > 0 {
				l.Between = d.reach && o.Between
				c.Lines = append(c.Lines, l)
			}
		}
		if len(c.Lines) == 0 {
			continue
		}
		if d.id == "tokens" || d.id == "users" {
			c.markCeilings(shown)
		}
		if !d.reach {
			c.shadeRegions(o.Regions)
		}
		c.leaveRoom()
		c.Alt = c.describeStairs()
		if len(all) > len(shown) {
			c.Notes = append(c.Notes, fmt.Sprintf("The first %d of %d systems.", len(shown), len(all)))
		}
		charts = append(charts, c)
	}
	return charts
}

// stairLine returns a line through a system's points, ordered by X. If reach is true, it omits points that another
// point exceeds in both X and Y, so the line shows the highest value at each X or above.
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
		m := Mark{Name: s.OfflineName + ", " + formatFigure(s.Offline) + " tokens/s", At: s.Offline}
		if len(all) > 1 {
			m.Name = s.Name + ": " + m.Name
			m.Line = 1 + slices.IndexFunc(c.Lines, func(l Line) bool { return l.Name == s.Name })
		}
		c.Marks = append(c.Marks, m)
	}
}

// shadeRegions writes the names of the regions and shades every second one. A region ends half a user after its last
// number, so that no point is on a boundary.
func (c *Chart) shadeRegions(regions []Until) {
	from := 0.0
	for i, r := range regions {
		c.Shades = append(c.Shades, Shade{From: from, To: r.Users + .5, Name: r.Name, Clear: i%2 == 1})
		from = r.Users + .5
	}
}

// leaveRoom starts Y at 0 and adds space on both sides of the points, and above the highest point for its name.
func (c *Chart) leaveRoom() {
	c.Y.Min, c.Y.Max = 0, 1e-9
	low, high := math.Inf(1), 0.0
	for _, l := range c.Lines {
		c.Y.Max = max(c.Y.Max, 1.06*slices.Max(l.Y))
		low, high = min(low, l.X[0]), max(high, l.X[len(l.X)-1])
	}
	if c.X.Scale == Linear && low > 0 {
		c.X.Min, c.X.Max = .98*low, 1.02*high
	}
}

// countUsers formats a number of users.
func countUsers(users float64) string { return strconv.FormatFloat(users, 'f', -1, 64) }

// describeStairs describes the lines in words.
func (c *Chart) describeStairs() string {
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
