package series

import (
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// maxBands is how many steps a band has at most, minInBand how many values each of them has on average at least.
const (
	maxBands  = 60
	minInBand = 100
)

// Band is how a measure was distributed at each time: percentiles of all values whose queries were due in a step. The
// steps are equal, and the first begins at 0. A step of no value has 0 everywhere.
type Band struct {
	Name  string  `json:"name"`
	Step  int64   `json:"step_ns"`
	Count []int64 `json:"count"`
	P50   []int64 `json:"p50_ns"`
	P99   []int64 `json:"p99_ns"`
}

// Band is the band of a distribution; nil where it has none. A file of an older version has none either: it is made of
// the line where that has every value.
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

// newBand makes the band of n values, which each gives in the order in which they were due, the last one at a time that
// is given; nil where they are too few.
func newBand(name string, n int, last int64, each func(take func(due, v int64))) *Band {
	steps := min(n/minInBand, maxBands)
	if steps < 2 || last < int64(steps) {
		return nil
	}
	b := &Band{Name: name, Step: last/int64(steps) + 1, Count: make([]int64, steps), P50: make([]int64, steps),
		P99: make([]int64, steps)}
	at, c := int64(0), newCounter(name)
	each(func(due, v int64) {
		if k := max(due, 0) / b.Step; k != at {
			b.set(at, c)
			at = k
		}
		c.add(v)
	})
	b.set(at, c)
	return b
}

// set fills in a step from what was counted, and empties the counter.
func (b *Band) set(k int64, c *counter) {
	h := c.at(maxBits)
	b.Count[k], b.P50[k], b.P99[k] = int64(h.Count), h.Quantile(.5), h.Quantile(.99)
	c.reset()
}

// check wants as many percentiles as steps.
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
