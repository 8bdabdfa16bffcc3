package endpoints

import (
	"cmp"
	"slices"
)

// AccuracyRegions returns the regions that each require an accuracy run at one point.
func AccuracyRegions() []Region { return []Region{UltraLow, Low, Medium, High} }

// AccuracyRun is an accuracy run at a point with a fixed concurrency. If Elected is set, the point also represents
// Offline.
type AccuracyRun struct {
	Concurrency int
	Elected     bool
}

// Compare orders runs by concurrency, with elected ones last.
func (a AccuracyRun) Compare(b AccuracyRun) int {
	switch {
	case a.Elected == b.Elected:
		return cmp.Compare(a.Concurrency, b.Concurrency)
	case b.Elected:
		return -1
	}
	return 1
}

// AccuracyRegionsOf returns the regions that an accuracy run at a concurrency can represent.
func (g Regions) AccuracyRegionsOf(concurrency int) (all []Region) {
	if g.Bounds(UltraLow).Has(concurrency) {
		all = append(all, UltraLow)
	}
	if r := g.CoveredRegion(concurrency); r != "" && r != LowLatency {
		all = append(all, r)
	}
	return all
}

// AssignAccuracy assigns runs to regions, with one run per region and one region per run, so that the maximum number of
// regions has a run. It computes a maximum matching by augmenting paths over the runs in ascending order, elected ones
// last. extra contains the concurrencies of runs that no region and no Offline point requires.
func (g Regions) AssignAccuracy(runs []AccuracyRun) (at map[Region]int, extra []int) {
	ordered := slices.SortedFunc(slices.Values(runs), AccuracyRun.Compare)
	at = map[Region]int{}
	for _, run := range ordered {
		g.findRegion(at, run.Concurrency, map[Region]bool{})
	}
	filled := map[int]bool{}
	for _, n := range at {
		filled[n] = true
	}
	for _, run := range ordered {
		if !run.Elected && !filled[run.Concurrency] {
			extra = append(extra, run.Concurrency)
		}
	}
	return at, extra
}

// findRegion assigns a region to a run, and reassigns other runs if necessary.
func (g Regions) findRegion(at map[Region]int, concurrency int, seen map[Region]bool) bool {
	for _, r := range g.AccuracyRegionsOf(concurrency) {
		if seen[r] {
			continue
		}
		seen[r] = true
		if had, taken := at[r]; !taken || g.findRegion(at, had, seen) {
			at[r] = concurrency
			return true
		}
	}
	return false
}
