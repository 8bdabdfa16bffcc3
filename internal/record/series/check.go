package series

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// maxSteps limits the steps of rates, and maxPoints the values of a line.
const (
	maxSteps  = 500
	maxPoints = 2000
)

// check returns an error with all faults of the file.
func (f *File) check() error {
	var faults []error
	if f.Duration < 0 || f.Queries < 0 || f.Samples < 0 || f.SamplesPerQuery < 1 || f.Unanswered < 0 {
		faults = append(faults, errors.New("a count or a duration below 0"))
	}
	for i := range f.Lines {
		faults = append(faults, f.Lines[i].check())
	}
	for i := range f.Histograms {
		faults = append(faults, f.Histograms[i].check())
	}
	for i := range f.Bands {
		faults = append(faults, f.Bands[i].check())
	}
	for i := range f.Collected {
		faults = append(faults, f.Collected[i].check())
	}
	return errors.Join(append(faults, f.Lengths.check(), f.Rates.check())...)
}

func (l *Line) check() error {
	switch {
	case len(l.T) != len(l.V):
		return fmt.Errorf("line %q has %d times and %d values", l.Name, len(l.T), len(l.V))
	case l.Of < len(l.T):
		return fmt.Errorf("line %q has %d values of %d", l.Name, len(l.V), l.Of)
	case !slices.IsSorted(l.T):
		return fmt.Errorf("line %q goes back in time", l.Name)
	}
	return nil
}

func (r *Rates) check() error {
	n := len(r.Queries)
	switch {
	case r.Step < 1 && n > 0:
		return fmt.Errorf("rates in steps of %d ns", r.Step)
	case n > 0 && r.Step > math.MaxInt64/int64(n):
		return fmt.Errorf("%d steps of %d ns are longer than any run", n, r.Step)
	case len(r.Samples) != n, len(r.Outstanding) != n, len(r.Tokens) != n && len(r.Tokens) != 0,
		len(r.Streamed) != n && len(r.Streamed) != 0:
		return fmt.Errorf("rates have %d steps of queries, %d of samples, %d of outstanding samples, %d and %d of tokens",
			n, len(r.Samples), len(r.Outstanding), len(r.Tokens), len(r.Streamed))
	}
	for _, counts := range [][]int64{r.Queries, r.Samples, r.Outstanding, r.Tokens, r.Streamed} {
		if len(counts) > 0 && slices.Min(counts) < 0 {
			return errors.New("a rate below 0")
		}
	}
	return nil
}

// check returns an error unless the buckets ascend and the counts add up to Count.
func (h *Histogram) check() error {
	if h.Bits < 1 || h.Bits > maxBits {
		return fmt.Errorf("histogram %q has %d bits, want 1 to %d", h.Name, h.Bits, maxBits)
	}
	var sum uint64
	last := int64(-1)
	for _, b := range h.Buckets {
		if b.Index <= last || b.Count == 0 || b.Count > math.MaxUint64-sum {
			return fmt.Errorf("histogram %q: bucket %d with %d values after bucket %d", h.Name, b.Index, b.Count, last)
		}
		last, sum = b.Index, sum+b.Count
	}
	if last >= bucketOf(math.MaxInt64, h.Bits)+1 {
		return fmt.Errorf("histogram %q: bucket %d is above all values", h.Name, last)
	}
	if sum != h.Count {
		return fmt.Errorf("histogram %q counts %d values, its buckets %d", h.Name, h.Count, sum)
	}
	if h.Count > 0 && (h.Min < 0 || h.Min > h.Max) {
		return fmt.Errorf("histogram %q goes from %d to %d", h.Name, h.Min, h.Max)
	}
	return nil
}
