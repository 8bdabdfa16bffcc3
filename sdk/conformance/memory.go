package conformance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

const (
	// growthBytes is what the process and those that it started may grow by over all queries, or rather from the first
	// quarter to the last.
	growthBytes = 32 << 20
	// noiseBytes is what they may grow by over any number of queries.
	noiseBytes = 16 << 20
	// looks is how often the memory is looked at.
	looks = 16
	// maxAtATime is how many queries of a slow subject are in work at a time, at most, in the second half of the check.
	maxAtATime = 64
)

// checkMemory makes many queries and looks at the memory now and then. What comes and goes is no growth: the least of
// the last quarter is compared with the most of the first.
func checkMemory(ctx context.Context, v *pluginVisit) (string, error) {
	c, err := v.openClient(ctx)
	if err != nil {
		return "", err
	}
	if err := c.growToWorkingSize(ctx, v.subject.Queries/10, v.subject.MemoryTime/8); err != nil {
		return "", err
	}
	var seen []int64
	look := func() error {
		n, err := residentBytes(c.plugin.PID())
		seen = append(seen, n)
		return err
	}
	if err := look(); err != nil {
		return "", skipCheck("%v", err)
	}
	made, err := c.repeatQueries(ctx, v.subject.Queries, v.subject.MemoryTime, look)
	if err != nil {
		return "", err
	}
	before, after := quarterBounds(seen)
	if grown, maxTime := after-before, allowedGrowth(made, v.subject.Queries); grown > maxTime {
		return "", fmt.Errorf("the process grew by %d MB within %d queries, want at most %d MB: something is kept of each",
			grown>>20, made, maxTime>>20)
	}
	found := fmt.Sprintf("%d MB before and %d MB after %d queries", before>>20, after>>20, made)
	if made < v.subject.Queries {
		found += fmt.Sprintf(", all that %v allowed", v.subject.MemoryTime)
	}
	return found, nil
}

// quarterBounds are the most of the first quarter and the least of the last one.
func quarterBounds(seen []int64) (before, after int64) {
	n := (len(seen) + 3) / 4
	return slices.Max(seen[:n]), slices.Min(seen[len(seen)-n:])
}

// allowedGrowth is what may be kept, between the first quarter and the last, of made of n queries.
func allowedGrowth(made, n int) int64 {
	return max(int64(float64(growthBytes)*float64(made)/float64(n)), noiseBytes)
}

// growToWorkingSize lets the process grow to its working size: with n queries one at a time, and with n many at a time,
// so that each of its sessions has met batches of all sizes. Either part ends after maxTime.
func (c *queryClient) growToWorkingSize(ctx context.Context, n int, maxTime time.Duration) error {
	if _, err := c.repeatQueries(ctx, n, maxTime, func() error { return nil }); err != nil {
		return err
	}
	start, together := time.Now(), c.atATime()
	for made := 0; made < n && time.Since(start) < maxTime; made += together {
		if _, err := c.askEach(ctx, c.samplesFrom(made, together)); err != nil {
			return err
		}
	}
	return nil
}

// atATime is how many queries of a slow subject are in work at a time.
func (c *queryClient) atATime() int { return min(maxAtATime, 2*c.size) }

// samplesFrom are n samples from one on, in turn.
func (c *queryClient) samplesFrom(from, n int) []loadgen.SampleIndex {
	indices := make([]loadgen.SampleIndex, n)
	for i := range indices {
		indices[i] = loadgen.SampleIndex((from + i) % c.size)
	}
	return indices
}

// repeatQueries makes n queries of one sample, or as many as begin before maxTime has passed: one after the other, and
// from half of the time on many at a time. It looks in equal distances, of queries or of time, and returns how many
// were made.
func (c *queryClient) repeatQueries(ctx context.Context, n int, maxTime time.Duration, look func() error) (made int,
	err error) {
	start, looked := time.Now(), 0
	for made < n && time.Since(start) < maxTime {
		together := 1
		if time.Since(start) > maxTime/2 {
			together = min(c.atATime(), n-made)
		}
		if _, err := c.askEach(ctx, c.samplesFrom(made, together)); err != nil {
			return made, err
		}
		made += together
		if done := max(made*looks/n, int(time.Since(start)*looks/maxTime)); done > looked {
			looked = done
			if err := look(); err != nil {
				return made, err
			}
		}
	}
	return made, nil
}
