package conformance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

const (
	// growthBytes is the maximum growth of the process and its child processes over all queries, measured from the first
	// quarter to the last.
	growthBytes = 32 << 20
	// noiseBytes is the maximum growth over any number of queries.
	noiseBytes = 16 << 20
	// measurements is the number of measurements.
	measurements = 16
	// maxConcurrent is the maximum number of concurrent queries to a slow subject in the second half of the check.
	maxConcurrent = 64
)

// checkMemory makes many queries and measures the memory regularly. Temporary memory does not count: it compares the
// minimum of the last quarter with the maximum of the first.
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

// quarterBounds returns the maximum of the first quarter and the minimum of the last one.
func quarterBounds(seen []int64) (before, after int64) {
	n := (len(seen) + 3) / 4
	return slices.Max(seen[:n]), slices.Min(seen[len(seen)-n:])
}

// allowedGrowth returns the allowed growth between the first quarter and the last if made of n queries were made.
func allowedGrowth(made, n int) int64 {
	return max(int64(float64(growthBytes)*float64(made)/float64(n)), noiseBytes)
}

// growToWorkingSize lets the process grow to its working size. It makes n queries one at a time, and then n
// concurrently, so each session has processed batches of all sizes. Each part ends after maxTime.
func (c *queryClient) growToWorkingSize(ctx context.Context, n int, maxTime time.Duration) error {
	if _, err := c.repeatQueries(ctx, n, maxTime, func() error { return nil }); err != nil {
		return err
	}
	start, together := time.Now(), c.maxInFlight()
	for made := 0; made < n && time.Since(start) < maxTime; made += together {
		if _, err := c.queryEach(ctx, c.samplesFrom(made, together)); err != nil {
			return err
		}
	}
	return nil
}

// maxInFlight returns the number of concurrent queries to a slow subject.
func (c *queryClient) maxInFlight() int { return min(maxConcurrent, 2*c.size) }

// samplesFrom returns n consecutive samples beginning with from. After the last sample it continues with the first.
func (c *queryClient) samplesFrom(from, n int) []loadgen.SampleIndex {
	indices := make([]loadgen.SampleIndex, n)
	for i := range indices {
		indices[i] = loadgen.SampleIndex((from + i) % c.size)
	}
	return indices
}

// repeatQueries makes n queries of one sample, or as many as begin within maxTime. The first half are sequential, the
// others concurrent. It calls look at equal distances, of queries or of time, and returns the number of queries.
func (c *queryClient) repeatQueries(ctx context.Context, n int, maxTime time.Duration, look func() error) (made int,
	err error) {
	start, looked := time.Now(), 0
	for made < n && time.Since(start) < maxTime {
		together := 1
		if time.Since(start) > maxTime/2 {
			together = min(c.maxInFlight(), n-made)
		}
		if _, err := c.queryEach(ctx, c.samplesFrom(made, together)); err != nil {
			return made, err
		}
		made += together
		if done := max(made*measurements/n, int(time.Since(start)*measurements/maxTime)); done > looked {
			looked = done
			if err := look(); err != nil {
				return made, err
			}
		}
	}
	return made, nil
}
