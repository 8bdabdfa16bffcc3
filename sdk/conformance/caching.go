package conformance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

const (
	// cachePairs is how many samples are asked for twice in a row, in each round.
	cachePairs = 8
	// cacheRounds is how many rounds, each with samples of its own, have to show a cache: one alone may be chance.
	cacheRounds = 3
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
	if c.size < cachePairs {
		return "", skip("%d samples are too few", c.size)
	}
	suspect := true
	var first, second []time.Duration // medians
	for round := range min(cacheRounds, c.size/cachePairs) {
		a, b, err := c.twice(ctx, round*cachePairs, cachePairs)
		if err != nil {
			return "", err
		}
		first, second = append(first, a), append(second, b)
		suspect = suspect && a > tooFast && 2*b < a
	}
	found := fmt.Sprintf("median %v for a new sample, %v for the same again", median(first).Round(time.Microsecond), median(second).Round(time.Microsecond))
	if suspect {
		return "", fmt.Errorf("%s: answers seem to be kept, which the rules forbid", found)
	}
	return found, nil
}

// twice asks for each of n samples alone, and for the same again: the medians of both times.
func (c *client) twice(ctx context.Context, from, n int) (first, second time.Duration, err error) {
	var times [2][]time.Duration
	for _, index := range c.some(from, n) {
		for i := range times {
			start := time.Now()
			if _, err := c.ask(ctx, []loadgen.SampleIndex{index}); err != nil {
				return 0, 0, err
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	return median(times[0]), median(times[1]), nil
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
