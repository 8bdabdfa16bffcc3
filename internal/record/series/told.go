package series

import (
	"fmt"
	"math"
	"slices"
)

// maxTold is how many values a line of what was told has.
const maxTold = 300

// Told is a number over time that others told while the run went on: a server, or a meter of power.
type Told struct {
	Name  string    `json:"name"`
	Title string    `json:"title"` // for people; those of one unit are told apart by it
	Unit  string    `json:"unit"`  // "requests", "%", "tokens/s", "W", "ns", ...
	T     []int64   `json:"t_ns"`  // ascending; what was told before the start is below 0
	V     []float64 `json:"v"`
}

// Thinned is the line with at most 300 of its values, by Thin; those that are no finite number are left out.
func (t Told) Thinned() Told {
	out := Told{Name: t.Name, Title: t.Title, Unit: t.Unit}
	var known []int
	for i, v := range t.V {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			known = append(known, i)
		}
	}
	for _, k := range Thin(len(known), maxTold, func(i int) (x, y float64) {
		return float64(t.T[known[i]]), t.V[known[i]]
	}) {
		out.T, out.V = append(out.T, t.T[known[k]]), append(out.V, t.V[known[k]])
	}
	return out
}

// Since is the line with its times counted from a later zero.
func (t Told) Since(zero int64) Told {
	t.T = slices.Clone(t.T)
	for i := range t.T {
		t.T[i] -= zero
	}
	return t
}

func (t *Told) check() error {
	switch {
	case len(t.T) != len(t.V):
		return fmt.Errorf("what was told of %q has %d times and %d values", t.Name, len(t.T), len(t.V))
	case !slices.IsSorted(t.T):
		return fmt.Errorf("what was told of %q goes back in time", t.Name)
	}
	return nil
}
