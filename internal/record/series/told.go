package series

import (
	"fmt"
	"math"
	"slices"
)

// maxCollected limits the values of a series.
const maxCollected = 300

// CollectedSeries is a quantity over time that a collector read during the run, from a server's metrics or a power
// meter.
type CollectedSeries struct {
	Name  string    `json:"name"`
	Title string    `json:"title"` // for people; distinguishes the quantities of one unit
	Unit  string    `json:"unit"`  // "requests", "%", "tokens/s", "W", "ns", ...
	T     []int64   `json:"t_ns"`  // ascending; times before the start are negative
	V     []float64 `json:"v"`
}

// Thinned returns up to 300 of the values, selected by SelectPoints. It omits values that are not finite.
func (t CollectedSeries) Thinned() CollectedSeries {
	out := CollectedSeries{Name: t.Name, Title: t.Title, Unit: t.Unit}
	var known []int
	for i, v := range t.V {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			known = append(known, i)
		}
	}
	for _, k := range SelectPoints(len(known), maxCollected, func(i int) (x, y float64) {
		return float64(t.T[known[i]]), t.V[known[i]]
	}) {
		out.T, out.V = append(out.T, t.T[known[k]]), append(out.V, t.V[known[k]])
	}
	return out
}

// Since returns the series with its times counted from a later zero.
func (t CollectedSeries) Since(zero int64) CollectedSeries {
	t.T = slices.Clone(t.T)
	for i := range t.T {
		t.T[i] -= zero
	}
	return t
}

func (t *CollectedSeries) check() error {
	switch {
	case len(t.T) != len(t.V):
		return fmt.Errorf("what was told of %q has %d times and %d values", t.Name, len(t.T), len(t.V))
	case !slices.IsSorted(t.T):
		return fmt.Errorf("what was told of %q goes back in time", t.Name)
	}
	return nil
}
