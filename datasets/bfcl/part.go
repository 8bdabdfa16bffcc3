package bfcl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Subsets returns the subsets of the single-turn part, in the data set's order.
func Subsets() []string {
	return []string{
		"simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple", "live_simple",
		"live_multiple", "live_parallel", "live_parallel_multiple", "irrelevance", "live_irrelevance", "live_relevance",
	}
}

// SubsetGroups returns the subsets of each category. live_relevance belongs to no category.
func SubsetGroups() map[string][]string {
	all := Subsets()
	return map[string][]string{"non_live": all[:6], "live": all[6:10], "hallucination": all[10:12]}
}

// SampleSelection selects samples. The zero value selects all.
type SampleSelection struct {
	Subsets    []string // use only these subsets; nil: use Categories
	Categories []string // if Subsets is nil, use only the subsets of these categories
	// Percent is the share of each subset to use, from its beginning: above 0, up to 100; nil: all. Shares overrides it
	// for the subsets of a category. One sample or more of each subset is used.
	Percent *float64
	Shares  map[string]float64
	// WholeSubsetSize is the size up to which a subset is used whole. nil: Percent and Shares apply to all subsets.
	WholeSubsetSize *int
	MaxSamples      int // use only the first MaxSamples samples of the selection; 0: all
}

// OfficialSelection returns the selection that the rules require for qwen3.6-27b: 995 of 3641 samples.
func OfficialSelection() SampleSelection {
	floor := 25
	return SampleSelection{
		Categories: []string{"non_live", "live", "hallucination"},
		Shares:     map[string]float64{"non_live": 62, "live": 10, "hallucination": 10}, WholeSubsetSize: &floor,
	}
}

// SelectFrom returns the selected samples of all, which must be in the data set's order. If Percent, Shares or
// WholeSubsetSize is set, the result is sorted by the subsets' names.
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
	if p.Percent != nil || p.Shares != nil || p.WholeSubsetSize != nil {
		taken = taken[:0]
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			taken = append(taken, groups[name][:p.sampleCount(name, len(groups[name]))]...)
		}
	}
	if p.MaxSamples > 0 {
		taken = taken[:min(p.MaxSamples, len(taken))]
	}
	return taken, nil
}

// chosenSubsets returns the subsets from which samples are selected.
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

// sampleCount returns how many of a subset's total samples to use.
func (p SampleSelection) sampleCount(subset string, total int) int {
	if p.WholeSubsetSize != nil && total <= *p.WholeSubsetSize {
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
