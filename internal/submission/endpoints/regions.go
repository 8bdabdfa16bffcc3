package endpoints

import (
	"errors"
	"fmt"
	"math"
)

// Region is a range of the concurrencies of a curve.
type Region string

// The regions. SubmittersChoice is a point's alternative name for its region.
const (
	LowLatency       Region = "low_latency"
	Low              Region = "low_concurrency"
	Medium           Region = "med_concurrency"
	High             Region = "high_concurrency"
	Margin           Region = "margin"
	SubmittersChoice Region = "submitters_choice"
	// UltraLow overlaps with other regions.
	UltraLow Region = "ultra_low_concurrency"
)

// RegionNames returns the regions in ascending order.
func RegionNames() []Region { return []Region{LowLatency, Low, Medium, High, Margin} }

// Bounds is the range of concurrencies from First to Last, both included. It is empty if Last is below First.
type Bounds struct{ First, Last int }

// Has reports whether the range contains a concurrency.
func (b Bounds) Has(concurrency int) bool { return b.First <= concurrency && concurrency <= b.Last }

func (b Bounds) String() string { return fmt.Sprintf("%d to %d", b.First, b.Last) }

// Regions contains the regions of a curve.
type Regions struct {
	rules  *Rules
	bounds map[Region]Bounds
}

// Errors of RegionsOf.
var (
	ErrCMin = errors.New("the lowest concurrency is not one")
	ErrCMax = errors.New("the highest concurrency is too low")
)

// RegionsOf divides the concurrencies from 1 to the margin above cMax. The steps from cMin are logarithmic and rounded
// to even, like the reference implementation's. overridden states that the submission declares cMin, which then ends
// the ultra-low region.
func (r *Rules) RegionsOf(cMax, cMin int, overridden bool) (Regions, error) {
	switch {
	case cMin < 1 || cMin > r.MaxCMin:
		return Regions{}, fmt.Errorf("%w: C_min is %d, want 1 to %d", ErrCMin, cMin, r.MaxCMin)
	case cMax <= r.MaxCMin:
		return Regions{}, fmt.Errorf("%w: C_max is %d, want more than %d", ErrCMax, cMax, r.MaxCMin)
	}
	step := math.Log2(float64(cMax-cMin)) / 3
	end := func(steps float64) int { return int(math.RoundToEven(float64(cMin) + math.Pow(2, steps*step))) }
	low, medium := end(1), end(2)
	of := map[Region]Bounds{
		LowLatency: {1, cMin}, Low: {cMin + 1, low}, Medium: {low + 1, medium}, High: {medium + 1, cMax},
		Margin: {cMax + 1, int(math.Ceil(r.Margin * float64(cMax)))}, UltraLow: {1, r.UltraLowMax},
	}
	if overridden {
		of[UltraLow] = of[LowLatency]
	}
	return Regions{r, of}, nil
}

// Bounds returns the range of a region.
func (g Regions) Bounds(r Region) Bounds { return g.bounds[r] }

// RegionAt returns the region of a concurrency, or "" above the margin.
func (g Regions) RegionAt(concurrency int) Region {
	for _, r := range RegionNames() {
		if g.bounds[r].Has(concurrency) {
			return r
		}
	}
	return ""
}

// CoveredRegion returns the region that a point with a concurrency covers. The margin is not covered.
func (g Regions) CoveredRegion(concurrency int) Region {
	if r := g.RegionAt(concurrency); r != Margin {
		return r
	}
	return ""
}

// MinSeconds returns the minimum duration of a point's steady window in seconds, or 0 for a point above the margin.
func (g Regions) MinSeconds(concurrency int, agentic bool) int {
	if g.RegionAt(concurrency) == "" && concurrency > g.rules.UltraLowMax {
		return 0
	}
	return g.rules.MinWindowSeconds(concurrency, agentic)
}

// MinWindowSeconds returns the minimum duration of a point's steady window in seconds, for a point in any region.
func (r *Rules) MinWindowSeconds(concurrency int, agentic bool) int {
	switch {
	case concurrency <= r.UltraLowMax:
		return r.WindowSeconds.Low
	case agentic:
		return r.WindowSeconds.Agentic
	}
	return r.WindowSeconds.SingleTurn
}
