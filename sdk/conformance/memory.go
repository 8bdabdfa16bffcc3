package conformance

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

const (
	// growthBytes is what the process and those that it started may grow by over all queries.
	growthBytes = 64 << 20
	// noiseBytes is what a process may grow by over any number of queries, between two collections of garbage.
	noiseBytes = 24 << 20
	// mostAtATime is how many queries of a slow subject are in work at a time, at most, in the second half of the check.
	mostAtATime = 64
)

// memory makes many queries, and looks at the memory before and after.
func memory(ctx context.Context, v *visit) (string, error) {
	c, err := v.client(ctx)
	if err != nil {
		return "", err
	}
	if err := c.grow(ctx, min(v.subject.Queries/10, 2*c.size), v.subject.MemoryTime/4); err != nil {
		return "", err
	}
	before, err := residentBytes(c.plugin.PID())
	if err != nil {
		return "", skip("%v", err)
	}
	made, err := c.endure(ctx, v.subject.Queries, v.subject.MemoryTime)
	if err != nil {
		return "", err
	}
	after, err := residentBytes(c.plugin.PID())
	if err != nil {
		return "", err
	}
	if grown, most := after-before, allowed(made, v.subject.Queries); grown > most {
		return "", fmt.Errorf("the process grew by %d MB over %d queries, want at most %d MB: something is kept of each", grown>>20, made, most>>20)
	}
	found := fmt.Sprintf("%d MB before and %d MB after %d queries", before>>20, after>>20, made)
	if made < v.subject.Queries {
		found += fmt.Sprintf(", all that %v allowed", v.subject.MemoryTime)
	}
	return found, nil
}

// allowed is what made of n queries may keep.
func allowed(made, n int) int64 {
	return max(int64(float64(growthBytes)*float64(made)/float64(n)), noiseBytes)
}

// grow lets the process grow to its working size: with a query at a time, and with many.
func (c *client) grow(ctx context.Context, n int, most time.Duration) error {
	if _, err := c.endure(ctx, n, most); err != nil {
		return err
	}
	_, err := c.askEach(ctx, c.some(0, c.atATime()))
	return err
}

// atATime is how many queries of a slow subject are in work at a time.
func (c *client) atATime() int { return min(mostAtATime, 2*c.size) }

// some are n samples from one on, in turn.
func (c *client) some(from, n int) []loadgen.SampleIndex {
	indices := make([]loadgen.SampleIndex, n)
	for i := range indices {
		indices[i] = loadgen.SampleIndex((from + i) % c.size)
	}
	return indices
}

// endure makes n queries of one sample, or as many as begin before most has passed: one after the other, and from half of
// the time on many at a time. It returns how many were made.
func (c *client) endure(ctx context.Context, n int, most time.Duration) (made int, err error) {
	start := time.Now()
	for made < n && time.Since(start) < most {
		together := 1
		if time.Since(start) > most/2 {
			together = min(c.atATime(), n-made)
		}
		if _, err := c.askEach(ctx, c.some(made, together)); err != nil {
			return made, err
		}
		made += together
	}
	return made, nil
}
