package plot

import (
	"cmp"
	"fmt"
	"slices"
)

// Trial is one run of a search for the highest load.
type Trial struct {
	Load float64
	NS   int64 // latency at the judged percentile, in nanoseconds
	Met  bool  // whether NS is within the limit
}

// Search returns the curve of a search: latency against the tried loads, whose meaning is the label loads. Trials above
// the limit are rings. limit is in nanoseconds; 0: unknown. ok is false for fewer than two loads.
func Search(loads string, p float64, trials []Trial, limit int64) (c Chart, ok bool) {
	sorted := slices.SortedStableFunc(slices.Values(trials), func(a, b Trial) int { return cmp.Compare(a.Load, b.Load) })
	if len(sorted) < 2 || sorted[0].Load == sorted[len(sorted)-1].Load {
		return c, false
	}
	c = Chart{
		ID: "search", Title: "Latency at the loads that were tried", X: Axis{Label: loads},
		Y: Axis{Label: percentileText(p) + " of latency", Of: Latency}, Rings: "misses the limit",
	}
	l := Line{Name: "latency"}
	met, lowest, most := 0, sorted[0].NS, int64(0)
	for _, t := range sorted {
		words := fmt.Sprintf("%s: %s", formatFigure(t.Load), Duration(t.NS))
		if t.Met {
			met++
			words += ", meets the limit"
		} else {
			words += ", misses the limit"
		}
		l.X, l.Y = append(l.X, t.Load), append(l.Y, float64(t.NS))
		l.Knots = append(l.Knots, Knot{Words: words, Hollow: !t.Met})
		lowest, most = min(lowest, t.NS), max(most, t.NS)
	}
	c.Lines = []Line{l}
	c.spreadTimes()
	if limit > 0 && isDrawable(limit, most) {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(limit), At: float64(limit), Limit: true})
	}
	c.Alt = fmt.Sprintf("%s of %s to %s, for %s of %s to %s. %d of %d trials meet the limit; rings miss it.",
		capitalize(c.Y.Label), Duration(lowest), Duration(most), loads, formatFigure(sorted[0].Load),
		formatFigure(sorted[len(sorted)-1].Load), met, len(sorted))
	return c, true
}

// Tried is a measured setting.
type Tried struct {
	Line   string  // common name of the settings on one line
	X      float64 // the value that varies along the line, above 0
	PerSec float64 // samples per second
	Words  string
	Short  bool // measured only by short tests
}

// Settings returns the curve of a search for the fastest setting: samples per second against X, whose meaning is the
// label x. There is one line for each of the other choices, the fastest first. Settings measured only by short tests
// are rings. own is the rate of a run without settings; 0: unknown. ok is false for fewer than two values of X.
func Settings(x string, tried []Tried, own float64) (c Chart, ok bool) {
	c = Chart{
		ID: "settings", Title: "Throughput of the settings that were tried", X: Axis{Label: x, Whole: true},
		Y: Axis{Label: "samples/s", Max: own}, Rings: "measured by short tests alone",
	}
	faster := func(a, b Tried) int { return cmp.Compare(b.PerSec, a.PerSec) }
	sorted := slices.SortedStableFunc(slices.Values(tried), faster)
	low, high, dropped := 0.0, 0.0, 0
	for _, t := range sorted {
		at := slices.IndexFunc(c.Lines, func(l Line) bool { return l.Name == t.Line })
		if at < 0 && len(c.Lines) == maxLines {
			dropped++
			continue
		}
		if at < 0 {
			at, c.Lines = len(c.Lines), append(c.Lines, Line{Name: t.Line})
		}
		l := &c.Lines[at]
		k, _ := slices.BinarySearch(l.X, t.X)
		l.X, l.Y = slices.Insert(l.X, k, t.X), slices.Insert(l.Y, k, t.PerSec)
		l.Knots = slices.Insert(l.Knots, k, Knot{Words: t.Words, Hollow: t.Short})
		low = cmp.Or(low, t.X)
		low, high = min(low, t.X), max(high, t.X)
	}
	if low == high {
		return c, false
	}
	if high/low >= 8 {
		c.X.Scale, c.X.Min, c.X.Max, c.X.Doubling = Log, low, high, true
	}
	if own > 0 {
		c.Marks = []Mark{{Name: "without a setting " + formatFigure(own), At: own}}
	}
	if dropped > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("The %d fastest lines; %d more settings are in the table.", maxLines, dropped))
	}
	c.Alt = fmt.Sprintf("%d settings reach %s to %s samples/s; the fastest: %s. Rings were measured by short tests alone.",
		len(sorted), formatFigure(sorted[len(sorted)-1].PerSec), formatFigure(sorted[0].PerSec), sorted[0].Words)
	return c, true
}
