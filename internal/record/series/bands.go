package series

import (
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// maxBands limits the steps of a band; minPerStep is the minimum average number of values in a step.
const (
	maxBands   = 60
	minPerStep = 100
)

// Band contains percentiles of a measure over time, of all values whose queries were due in each step. Steps are equal,
// and the first begins at 0. A step without values has zeros.
type Band struct {
	Name  string  `json:"name"`
	Step  int64   `json:"step_ns"`
	Count []int64 `json:"count"`
	P50   []int64 `json:"p50_ns"`
	P99   []int64 `json:"p99_ns"`
}

// Band returns the band of a distribution, or nil if it has none. Files of older versions have no bands; the band is
// then made from the line if the line contains all values.
func (f *File) Band(of metric.Times) *Band {
	for i := range f.Bands {
		if f.Bands[i].Name == of.Key {
			return &f.Bands[i]
		}
	}
	l := f.Line(of)
	if l == nil || l.Of != len(l.T) {
		return nil
	}
	return newBand(of.Key, l.Of, l.last(), func(take func(due, v int64)) {
		for i, t := range l.T {
			take(t, l.V[i])
		}
	})
}

// newBand returns the band of n values, or nil if there are too few. each calls take for the values in the order of
// their due times; last is the last due time.
func newBand(name string, n int, last int64, eachValue func(take func(due, v int64))) *Band {
	steps := min(n/minPerStep, maxBands)
	if steps < 2 || last < int64(steps) {
		return nil
	}
	b := &Band{Name: name, Step: last/int64(steps) + 1, Count: make([]int64, steps), P50: make([]int64, steps),
		P99: make([]int64, steps)}
	at, c := int64(0), newCounter(name)
	eachValue(func(due, v int64) {
		if k := max(due, 0) / b.Step; k != at {
			b.set(at, c)
			at = k
		}
		c.add(v)
	})
	b.set(at, c)
	return b
}

// set sets a step to the percentiles of the counted values, and empties the counter.
func (b *Band) set(k int64, c *counter) {
	h := c.atPrecision(maxBits)
	b.Count[k], b.P50[k], b.P99[k] = int64(h.Count), h.Quantile(.5), h.Quantile(.99)
	c.reset()
}

// check returns an error unless the band has a percentile for each step.
func (b *Band) check() error {
	n := len(b.Count)
	switch {
	case len(b.P50) != n, len(b.P99) != n:
		return fmt.Errorf("band %q has %d steps, %d medians and %d 99th percentiles", b.Name, n, len(b.P50), len(b.P99))
	case b.Step < 1 && n > 0:
		return fmt.Errorf("band %q has steps of %d ns", b.Name, b.Step)
	case n > 0 && b.Step > math.MaxInt64/int64(n):
		return fmt.Errorf("band %q: %d steps of %d ns are longer than any run", b.Name, n, b.Step)
	case n > 0 && min(slices.Min(b.Count), slices.Min(b.P50)) < 0:
		return fmt.Errorf("band %q has a count or a percentile below 0", b.Name)
	}
	for k := range b.P50 {
		if b.P99[k] < b.P50[k] {
			return fmt.Errorf("band %q: in step %d the 99th percentile is below the median", b.Name, k)
		}
	}
	return nil
}
