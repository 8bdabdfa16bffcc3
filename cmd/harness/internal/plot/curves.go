package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// Sweep contains a server's measurements at several loads.
type Sweep struct {
	Name  string // distinguishes the sweep from others
	Loads []Load // in the order of their values
	// TTFTLimit and TPOTLimit are the objectives in nanoseconds; 0: no objective.
	TTFTLimit, TPOTLimit int64
}

// Load is a load with its measurements. Missing measurements are NaN.
type Load struct {
	By    string  // meaning of Value: "users", "requests/s that are due"
	Value float64 // 0: the load has no number
	Name  string  // label next to the point: "16"
	// Tokens is the number of tokens per second of all users, or per accelerator. User is that of one user.
	Tokens, User      float64
	Requests, Goodput float64 // per second
	Attainment        float64 // percent
	TTFT50, TTFT99    float64 // ns
	TPOT50, TPOT99    float64
	// Shaky marks an unreliable load: overloaded, or limited by the client. Beaten means that another load of the sweep is
	// at least as good in both Tokens and User, and better in one.
	Shaky, Beaten bool
	Words         string // description of the load and its figures
}

// Curves returns the charts of sweeps: tokens per second against those of one user, and latencies, goodput and
// attainment against each kind of load. It omits charts with fewer than two points.
func Curves(sweeps []Sweep, perGPU bool) []Chart {
	shown := sweeps[:min(len(sweeps), maxLines)]
	var all []Chart
	if c, ok := tradeoffChart(shown, perGPU); ok {
		all = append(all, c)
	}
	byKind := map[string][]Chart{}
	for _, by := range loadKinds(shown) {
		var some []Sweep
		for _, s := range shown {
			s.Loads = slices.DeleteFunc(slices.Clone(s.Loads), func(l Load) bool { return l.By != by || !(l.Value > 0) })
			if len(s.Loads) > 0 {
				some = append(some, s)
			}
		}
		if charts := curvesOf(some, by); len(charts) > 0 {
			byKind[by] = charts
		}
	}
	for _, by := range slices.Sorted(maps.Keys(byKind)) {
		for _, c := range byKind[by] {
			if len(byKind) > 1 {
				c.Title += ", by " + by
			}
			c.ID += "-" + strings.Fields(strings.ReplaceAll(by, "/", " "))[0]
			all = append(all, c)
		}
	}
	if len(sweeps) > len(shown) {
		for i := range all {
			all[i].Notes = append(all[i].Notes, fmt.Sprintf("The first %d of %d sweeps.", len(shown), len(sweeps)))
		}
	}
	return all
}

// loadKinds returns the distinct kinds of loads.
func loadKinds(sweeps []Sweep) (all []string) {
	for _, s := range sweeps {
		for _, l := range s.Loads {
			if !slices.Contains(all, l.By) {
				all = append(all, l.By)
			}
		}
	}
	return all
}

// sweepLine is a line in a chart of several sweeps, with its value for each load.
type sweepLine struct {
	name string
	of   func(Load) float64
}

// doubtedRings says what rings are in charts of sweeps.
const doubtedRings = "not to be relied on"

// curvesOf returns the charts against loads of one kind.
func curvesOf(sweeps []Sweep, by string) (all []Chart) {
	ttft, tpot := metric.TTFT, metric.TPOT
	for _, c := range []struct {
		id, title string
		y         Axis
		lines     []sweepLine
		limit     func(Sweep) int64
	}{
		{"curve-ttft", capitalize(ttft.Title) + " against load", Axis{Label: ttft.Title, Of: Latency}, []sweepLine{
			{"p50", func(l Load) float64 { return l.TTFT50 }}, {"p99", func(l Load) float64 { return l.TTFT99 }},
		}, func(s Sweep) int64 { return s.TTFTLimit }},
		{"curve-tpot", capitalize(tpot.Title) + " against load", Axis{Label: tpot.Title, Of: Latency}, []sweepLine{
			{"p50", func(l Load) float64 { return l.TPOT50 }}, {"p99", func(l Load) float64 { return l.TPOT99 }},
		}, func(s Sweep) int64 { return s.TPOTLimit }},
		{"curve-goodput", "Requests per second against load", Axis{Label: "requests/s", Min: 0, Max: 1e-9}, []sweepLine{
			{"answered", func(l Load) float64 { return l.Requests }}, {"goodput", func(l Load) float64 { return l.Goodput }},
		}, nil},
		{"curve-attainment", "Attainment against load", Axis{Label: "requests within all limits, %", Min: 0, Max: 100},
			[]sweepLine{{"attainment", func(l Load) float64 { return l.Attainment }}}, nil},
	} {
		out := Chart{ID: c.id, Title: c.title, X: loadAxis(sweeps, by), Y: c.y, Rings: doubtedRings}
		out.addSweepLines(sweeps, c.lines)
		if out.maxLinePoints() < 2 {
			continue
		}
		out.spreadTimes()
		if c.limit != nil {
			out.markLimits(sweeps, c.limit)
		}
		out.Alt = out.sayPoints()
		all = append(all, out)
	}
	return all
}

// usersLoad is the kind of load whose logarithmic axis has ticks at powers of two.
const usersLoad = "users"

// loadAxis is that of loads; where they lie far from one another it is logarithmic.
func loadAxis(sweeps []Sweep, by string) Axis {
	low, high := math.Inf(1), 0.0
	for _, s := range sweeps {
		for _, l := range s.Loads {
			low, high = min(low, l.Value), max(high, l.Value)
		}
	}
	a := Axis{Label: by}
	if low > 0 && high/low >= 16 {
		a.Scale, a.Min, a.Max, a.Doubling = Log, low, high, by == usersLoad
	}
	return a
}

// addSweepLines adds the lines of each sweep. In a chart of several sweeps it adds only the last line, which is the
// best one.
func (c *Chart) addSweepLines(sweeps []Sweep, lines []sweepLine) {
	if len(sweeps) > 1 {
		lines = lines[len(lines)-1:]
	}
	for _, s := range sweeps {
		for _, d := range lines {
			l := Line{Name: d.name}
			if len(sweeps) > 1 {
				l.Name = strings.TrimSpace(s.Name + " " + d.name)
			}
			for _, load := range s.Loads {
				if v := d.of(load); !math.IsNaN(v) && !math.IsInf(v, 0) {
					l.X, l.Y = append(l.X, load.Value), append(l.Y, v)
					l.Knots = append(l.Knots, Knot{Words: load.Words, Hollow: load.Shaky})
				}
			}
			if len(l.X) > 0 {
				c.Lines = append(c.Lines, l)
			}
		}
	}
}

// maxLinePoints returns the largest number of points in a line.
func (c *Chart) maxLinePoints() (maxPoints int) {
	for _, l := range c.Lines {
		maxPoints = max(maxPoints, len(l.X))
	}
	return maxPoints
}

// spreadTimes makes the axis of times logarithmic if the values differ by large factors.
func (c *Chart) spreadTimes() {
	low, high := math.Inf(1), 0.0
	for _, l := range c.Lines {
		low, high = min(low, slices.Min(l.Y)), max(high, slices.Max(l.Y))
	}
	if c.Y.Of == Latency && low > 0 && high/low >= 20 {
		c.Y.Scale, c.Y.Min, c.Y.Max = Log, low, high
	}
}

// markLimits marks each distinct objective once.
func (c *Chart) markLimits(sweeps []Sweep, limit func(Sweep) int64) {
	most := 0.0
	for _, l := range c.Lines {
		most = max(most, slices.Max(l.Y))
	}
	for _, s := range sweeps {
		v := limit(s)
		m := Mark{Name: "limit " + Duration(v), At: float64(v), Limit: true}
		if v > 0 && isDrawable(v, int64(most)) && !slices.Contains(c.Marks, m) {
			c.Marks = append(c.Marks, m)
		}
	}
}

// sayPoints describes the points of the lines in words.
func (c *Chart) sayPoints() string {
	said := make([]string, 0, len(c.Lines))
	shaky := false
	for _, l := range c.Lines {
		first, last := c.valueText(l.Y[0]), c.valueText(l.Y[len(l.Y)-1])
		said = append(said, fmt.Sprintf("%s from %s at %s to %s at %s", l.Name, first, formatFigure(l.X[0]), last,
			formatFigure(l.X[len(l.X)-1])))
		shaky = shaky || slices.ContainsFunc(l.Knots, func(k Knot) bool { return k.Hollow })
	}
	text := capitalize(strings.Join(said, "; ")) + " " + c.X.Label + "."
	if shaky {
		text += " Rings are points that are not to be relied on."
	}
	return text
}

func (c *Chart) valueText(v float64) string {
	if c.Y.Of == Latency {
		return Duration(int64(v))
	}
	return formatFigure(v)
}

// tradeoffChart returns a chart of tokens per second against those of one user, which are in conflict. The line
// connects the points that no other point of the sweep exceeds in both. The others are faint.
func tradeoffChart(sweeps []Sweep, perGPU bool) (Chart, bool) {
	c := Chart{
		ID: "curve-tokens", Title: "Tokens per second against the speed of one answer",
		X: Axis{Label: "tokens/s of a user (1 / median TPOT)"}, Y: Axis{Label: "tokens/s of all users", Min: 0, Max: 1e-9},
		Rings: doubtedRings,
	}
	if perGPU {
		c.Y.Label = "tokens/s of an accelerator"
	}
	n := 0
	for _, s := range sweeps {
		l := Line{Name: s.Name}
		var known []Load
		for _, load := range s.Loads {
			if load.User > 0 && load.Tokens > 0 && !math.IsInf(load.User, 0) { // false for NaN too
				known = append(known, load)
			}
		}
		slices.SortStableFunc(known, func(a, b Load) int { return cmp.Compare(b.User, a.User) })
		for _, load := range known {
			l.X, l.Y = append(l.X, load.User), append(l.Y, load.Tokens)
			l.Knots = append(l.Knots, Knot{Name: load.Name, Words: load.Words, Hollow: load.Shaky, Aside: load.Beaten})
		}
		if len(l.X) > 0 {
			c.Lines = append(c.Lines, l)
			n += len(l.X)
		}
	}
	if n < 2 {
		return c, false
	}
	said := make([]string, 0, len(c.Lines))
	for _, l := range c.Lines {
		k := len(l.X) - 1
		said = append(said, strings.TrimSpace(fmt.Sprintf("%s %s tokens/s at %s tokens/s of a user, to %s at %s", l.Name,
			formatFigure(l.Y[0]), formatFigure(l.X[0]), formatFigure(l.Y[k]), formatFigure(l.X[k]))))
	}
	c.Alt = strings.Join(said, "; ") + ". Numbers beside the points are loads."
	return c, true
}
