package tune

import (
	"cmp"
	"math"
	"slices"
)

// Point contains the measurements of a setting.
type Point struct {
	Setting
	SamplesPerSecond float64 `json:"samples_per_second"` // the median of its longest tests; 0: none
	// Spread is the difference between the fastest and the slowest of them, as a fraction of the median.
	Spread float64 `json:"spread"`
	Tests  int     `json:"tests"` // how many they are
	Final  bool    `json:"final"` // they were as long as asked for; else the setting left the search before that
	// Fault is the reason why the setting cannot be measured; empty: it was measured.
	Fault string `json:"fault,omitempty"`
}

// searchCandidate is a setting in the search.
type searchCandidate struct {
	setting Setting
	stage   Stage     // in which it was measured last
	rates   []float64 // of that stage
	fault   error
}

// takeTest notes a test. Those of the stage before are forgotten.
func (c *searchCandidate) takeTest(stage Stage, rate float64) {
	if c.stage != stage {
		c.stage, c.rates = stage, nil
	}
	c.rates = append(c.rates, rate)
}

// isFinished says that the final measured the candidate.
func (c *searchCandidate) isFinished() bool { return c.fault == nil && c.stage == Final }

// toPoint is what is known of the candidate.
func (c *searchCandidate) toPoint() Point {
	p := Point{Setting: c.setting, Final: c.isFinished(), Tests: len(c.rates)}
	if c.fault != nil {
		p.Fault = c.fault.Error()
	}
	if p.Tests > 0 {
		p.SamplesPerSecond = medianOf(c.rates)
		p.Spread = (slices.Max(c.rates) - slices.Min(c.rates)) / p.SamplesPerSecond
	}
	return p
}

// medianOf is the middle of values that are not empty; of an even number, the mean of the two middle ones.
func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// sortFastest sorts by what value says, the largest first. Equal ones keep their order.
func sortFastest(all []*searchCandidate, value func(rates []float64) float64) {
	slices.SortStableFunc(all, func(a, b *searchCandidate) int {
		return cmp.Compare(worthOf(b, value), worthOf(a,
			value))
	})
}

func worthOf(c *searchCandidate, value func([]float64) float64) float64 {
	if len(c.rates) == 0 {
		return math.Inf(-1)
	}
	return value(c.rates)
}
