package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

const (
	// cachePairs is how many samples are asked for twice in a row.
	cachePairs = 24
	// tooFast is a time in which a cache cannot be told from a device.
	tooFast = 200 * time.Microsecond
)

// caching compares the time of a sample's first answer with that of its second, which follows at once.
func caching(ctx context.Context, v *visit) (string, error) {
	c, err := v.client(ctx)
	if err != nil {
		return "", err
	}
	if err := c.workload.SUT().(loadgen.Warmer).WarmUp(ctx); err != nil {
		return "", err
	}
	if c.size < 8 {
		return "", skip("%d samples are too few", c.size)
	}
	timed := func(i int) (time.Duration, error) {
		start := time.Now()
		_, err := c.ask(ctx, []loadgen.SampleIndex{loadgen.SampleIndex(i)})
		return time.Since(start), err
	}
	var first, second []time.Duration
	for i := range min(cachePairs+1, c.size) {
		a, errA := timed(i)
		b, errB := timed(i)
		if err := errors.Join(errA, errB); err != nil {
			return "", err
		}
		if i > 0 { // the very first query may find the device asleep
			first, second = append(first, a), append(second, b)
		}
	}
	slices.Sort(first)
	slices.Sort(second)
	a, b := first[len(first)/2], second[len(second)/2]
	found := fmt.Sprintf("median %v for a new sample, %v for the same again", a.Round(time.Microsecond), b.Round(time.Microsecond))
	if a > tooFast && 2*b < a {
		return "", fmt.Errorf("%s: answers seem to be kept, which the rules forbid", found)
	}
	return found, nil
}
