package endpoints

import (
	"cmp"
	"slices"
)

// AccuracyRegions are those that want an accuracy run at one point each.
func AccuracyRegions() []Region { return []Region{UltraLow, Low, Medium, High} }

// AccuracyRun is an accuracy run at a point with a fixed concurrency. If Elected is set, the point also represents
// Offline.
type AccuracyRun struct {
	Concurrency int
	Elected     bool
}

// Compare orders runs by concurrency, elected ones last.
func (a AccuracyRun) Compare(b AccuracyRun) int {
	switch {
	case a.Elected == b.Elected:
		return cmp.Compare(a.Concurrency, b.Concurrency)
	case b.Elected:
		return -1
	}
	return 1
}

// AccuracyRegionsOf are the regions for which an accuracy run at a concurrency may stand.
func (g Regions) AccuracyRegionsOf(concurrency int) (all []Region) {
	if g.Bounds(UltraLow).Has(concurrency) {
		all = append(all, UltraLow)
	}
	if r := g.Covered(concurrency); r != "" && r != LowLatency {
		all = append(all, r)
	}
	return all
}

// AssignAccuracy gives each region at most one run, and each run at most one region, so that as many regions as can be
// have one: a maximum matching by augmenting paths, of runs in ascending order, elected ones last. extra are the
// concurrencies that no region needs, and for which no Offline accounts.
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

// findRegion finds a region for a run, by moving others where it has to.
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
