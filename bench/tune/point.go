package tune

import (
	"cmp"
	"math"
	"slices"
)

// Point contains the measurements of a setting.
type Point struct {
	Setting
	SamplesPerSecond float64 `json:"samples_per_second"` // the median of its tests in the last stage; 0: not measured
	// Spread is the difference between the fastest and the slowest of these tests as a fraction of the median.
	Spread float64 `json:"spread"`
	Tests  int     `json:"tests"` // number of these tests
	Final  bool    `json:"final"` // the tests had the full length; otherwise the setting left the search earlier
	// Fault is the reason why the setting cannot be measured; "": it was measured.
	Fault string `json:"fault,omitempty"`
}

// searchCandidate is a setting in the search.
type searchCandidate struct {
	setting Setting
	stage   Stage     // the stage of the last measurement
	rates   []float64 // rates measured in that stage
	fault   error
}

// takeTest stores the result of a test. It discards the results of earlier stages.
func (c *searchCandidate) takeTest(stage Stage, rate float64) {
	if c.stage != stage {
		c.stage, c.rates = stage, nil
	}
	c.rates = append(c.rates, rate)
}

// isFinished reports whether the final stage measured the candidate.
func (c *searchCandidate) isFinished() bool { return c.fault == nil && c.stage == Final }

// toPoint returns the measurements of the candidate.
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

// medianOf returns the median of a non-empty list. For an even number of values, it is the mean of the two middle ones.
func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// sortFastest sorts candidates by value in descending order. Equal ones keep their order.
func sortFastest(all []*searchCandidate, value func(rates []float64) float64) {
	slices.SortStableFunc(all, func(a, b *searchCandidate) int {
		return cmp.Compare(candidateValue(b, value), candidateValue(a,
			value))
	})
}

func candidateValue(c *searchCandidate, value func([]float64) float64) float64 {
	if len(c.rates) == 0 {
		return math.Inf(-1)
	}
	return value(c.rates)
}
