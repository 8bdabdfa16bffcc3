package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

const (
	// cachePairs is how many samples are asked for twice, in each round.
	cachePairs = 8
	// cacheRounds is how many rounds, each with a process of its own, have to show a cache: one alone may be chance.
	cacheRounds = 3
	// tooFast is a time in which a cache cannot be told from a device.
	tooFast = 200 * time.Microsecond
)

// checkCaching compares the times of samples' first answers with those of their second ones. The first round that shows
// no cache acquits.
func checkCaching(ctx context.Context, v *pluginVisit) (string, error) {
	var found string
	for round := range cacheRounds {
		c, err := v.openClient(ctx)
		if err != nil {
			return "", err
		}
		if c.size < cachePairs {
			return "", skipCheck("%d samples are too few", c.size)
		}
		if err := c.workload.SUT().(loadgen.Warmer).WarmUp(ctx); err != nil {
			return "", err
		}
		first, second, err := c.timeTwice(ctx, c.samplesFrom(round*cachePairs, cachePairs), uint64(round))
		if err != nil {
			return "", err
		}
		found = fmt.Sprintf("median %v for a new sample, %v for the same again", median(first).Round(time.Microsecond),
			median(second).Round(time.Microsecond))
		if !looksCached(first, second) {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: answers seem to be kept, which the rules forbid", found)
}

// looksCached tells whether even the quickest of the first answers took far longer than most of the second ones. What
// else runs on the machine delays some of both, and hardly ever all of one kind and few of the other.
func looksCached(first, second []time.Duration) bool {
	least := slices.Min(first)
	return least > tooFast && 2*median(second) < least
}

// timeTwice asks for each sample alone, two times, in an order drawn by seed: a delay that comes at every second query,
// say, must not hit one kind only. It returns the times of the first answers and of the second ones.
func (c *queryClient) timeTwice(
	ctx context.Context, samples []loadgen.SampleIndex, seed uint64,
) (first, second []time.Duration, err error) {
	order := slices.Repeat(samples, 2)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	seen := make(map[loadgen.SampleIndex]bool)
	for _, index := range order {
		start := time.Now()
		if _, err := c.runQuery(ctx, []loadgen.SampleIndex{index}); err != nil {
			return nil, nil, err
		}
		took := time.Since(start)
		if seen[index] {
			second = append(second, took)
		} else {
			first = append(first, took)
		}
		seen[index] = true
	}
	return first, second, nil
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
