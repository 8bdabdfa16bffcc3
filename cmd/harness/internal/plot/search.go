package plot

import (
	"cmp"
	"fmt"
	"slices"
)

// Trial is one run of a search for the highest load.
type Trial struct {
	Load float64
	NS   int64 // its judged percentile of latency
	Met  bool  // the limit
}

// Search is the curve of a search: latency against the loads that were tried, of which the label says what they are.
// Rings are trials that missed the limit, in nanoseconds; 0: none is known. ok is false for fewer than two loads.
func Search(loads string, p float64, trials []Trial, limit int64) (c Chart, ok bool) {
	sorted := slices.SortedStableFunc(slices.Values(trials), func(a, b Trial) int { return cmp.Compare(a.Load, b.Load) })
	if len(sorted) < 2 || sorted[0].Load == sorted[len(sorted)-1].Load {
		return c, false
	}
	c = Chart{
		ID: "search", Title: "Latency at the loads that were tried", X: Axis{Label: loads},
		Y: Axis{Label: percentile(p) + " of latency", Of: Latency},
	}
	l := Line{Name: "latency"}
	met, lowest, most := 0, sorted[0].NS, int64(0)
	for _, t := range sorted {
		words := fmt.Sprintf("%s: %s", figure(t.Load), Duration(t.NS))
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
	c.spread()
	if limit > 0 && near(limit, most) {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(limit), At: float64(limit), Limit: true})
	}
	c.Alt = fmt.Sprintf("%s of %s to %s, for %s of %s to %s. %d of %d trials meet the limit; rings miss it.",
		capital(c.Y.Label), Duration(lowest), Duration(most), loads, figure(sorted[0].Load),
		figure(sorted[len(sorted)-1].Load), met, len(sorted))
	return c, true
}
