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
	// cachePairs is the number of samples that are requested twice in each round.
	cachePairs = 8
	// cacheRounds is the number of rounds, each with its own process, that must indicate a cache. A single round could be
	// chance.
	cacheRounds = 3
	// tooFast is the time below which a cache cannot be distinguished from a device.
	tooFast = 200 * time.Microsecond
)

// checkCaching compares the times of the samples' first and second answers. The check passes at the first round without
// signs of a cache.
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

// looksCached reports whether even the fastest first answers took much longer than most second answers. Other work on
// the machine delays some answers of both kinds, but hardly ever all of one kind and few of the other.
func looksCached(first, second []time.Duration) bool {
	least := slices.Min(first)
	return least > tooFast && 2*median(second) < least
}

// timeTwice requests each sample alone, twice, in a random order drawn from seed. With a fixed order, a delay at every
// second query, for example, would affect only one kind. It returns the times of the first and the second answers.
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
