package bfcl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Subsets are those of the single-turn part, in the data set's order.
func Subsets() []string {
	return []string{
		"simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple", "live_simple",
		"live_multiple", "live_parallel", "live_parallel_multiple", "irrelevance", "live_irrelevance", "live_relevance",
	}
}

// SubsetGroups are groups of subsets. live_relevance is in none.
func SubsetGroups() map[string][]string {
	all := Subsets()
	return map[string][]string{"non_live": all[:6], "live": all[6:10], "hallucination": all[10:12]}
}

// SampleSelection selects samples. The zero value selects all.
type SampleSelection struct {
	Subsets    []string // these alone; they win over Categories
	Categories []string // the subsets of these alone
	// Percent is how much of a subset is taken, its first samples: above 0, at most 100; nil: all. Shares has that of
	// categories, which wins. At least one sample of each subset is.
	Percent *float64
	Shares  map[string]float64
	// Floor: subsets of at most so many samples are whole. nil: none is.
	Floor *int
	Most  int // the first so many of all that are taken; 0: all
}

// OfficialSelection is the part that the rules of qwen3.6-27b want: 995 of 3641 samples.
func OfficialSelection() SampleSelection {
	floor := 25
	return SampleSelection{
		Categories: []string{"non_live", "live", "hallucination"},
		Shares:     map[string]float64{"non_live": 62, "live": 10, "hallucination": 10}, Floor: &floor,
	}
}

// SelectFrom takes the part of samples that are in the data set's order. Where anything but whole subsets is wanted,
// subsets are in the order of their names.
func (p SampleSelection) SelectFrom(all []FunctionSample) ([]FunctionSample, error) {
	subsets, err := p.chosenSubsets()
	if err := errors.Join(err, p.checkOptions()); err != nil {
		return nil, err
	}
	groups := map[string][]FunctionSample{}
	var taken []FunctionSample
	for _, s := range all {
		if slices.Contains(subsets, s.Subset) {
			groups[s.Subset] = append(groups[s.Subset], s)
			taken = append(taken, s)
		}
	}
	if p.Percent != nil || p.Shares != nil || p.Floor != nil {
		taken = taken[:0]
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			taken = append(taken, groups[name][:p.sampleCount(name, len(groups[name]))]...)
		}
	}
	if p.Most > 0 {
		taken = taken[:min(p.Most, len(taken))]
	}
	return taken, nil
}

// chosenSubsets are those that are taken from.
func (p SampleSelection) chosenSubsets() ([]string, error) {
	if p.Subsets != nil || p.Categories == nil {
		if p.Subsets != nil {
			return p.Subsets, nil
		}
		return Subsets(), nil
	}
	var all []string
	var faults []error
	for _, name := range p.Categories {
		of, ok := SubsetGroups()[name]
		if !ok {
			faults = append(faults, fmt.Errorf("category %q: want one of %s", name,
				strings.Join(slices.Sorted(maps.Keys(SubsetGroups())), ", ")))
		}
		all = append(all, of...)
	}
	return all, errors.Join(faults...)
}

func (p SampleSelection) checkOptions() error {
	var faults []error
	if p.Percent != nil && !(*p.Percent > 0 && *p.Percent <= 100) {
		faults = append(faults, fmt.Errorf("%v %% of samples: want above 0, at most 100", *p.Percent))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Shares)) {
		if v := p.Shares[name]; !(v > 0 && v <= 100) {
			faults = append(faults, fmt.Errorf("%v %% of the samples of %s: want above 0, at most 100", v, name))
		}
	}
	return errors.Join(faults...)
}

// sampleCount is how many samples of a subset are taken.
func (p SampleSelection) sampleCount(subset string, total int) int {
	if p.Floor != nil && total <= *p.Floor {
		return total
	}
	percent := p.Percent
	for category, of := range SubsetGroups() {
		if v, ok := p.Shares[category]; ok && slices.Contains(of, subset) {
			percent = &v
		}
	}
	if percent == nil {
		return total
	}
	return max(1, int(float64(total)**percent/100))
}
