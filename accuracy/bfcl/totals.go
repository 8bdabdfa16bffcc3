package bfcl

import (
	"slices"
	"strings"
)

// Subsets returns the names of the subsets of the single-turn part, in the data set's order.
func Subsets() []string {
	return []string{
		"simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple", "live_simple",
		"live_multiple", "live_parallel", "live_parallel_multiple", "irrelevance", "live_irrelevance", "live_relevance",
	}
}

// SubsetCategory is a group of subsets with equal weights in the normalized score.
type SubsetCategory struct {
	Name    string
	Subsets []string
}

// Categories returns the categories of the single-turn part. The subset live_relevance has no category.
func Categories() []SubsetCategory {
	all := Subsets()
	return []SubsetCategory{{"non_live", all[:6]}, {"live", all[6:10]}, {"hallucination", all[10:12]}}
}

// GradeTotals accumulates grades. The zero value is empty.
type GradeTotals struct {
	subsets   map[string]*SubsetTally
	completed int
}

// SubsetTally counts the correct answers and the issued samples of a subset.
type SubsetTally struct{ Right, Issued int }

// Accuracy returns the share of correct answers among issued samples, 0 to 1.
func (t SubsetTally) Accuracy() float64 { return float64(t.Right) / float64(t.Issued) }

// Add counts an answer.
func (t *GradeTotals) Add(subset string, right bool) {
	tally := t.subsetTally(subset)
	tally.Issued++
	if right {
		tally.Right++
	}
	t.completed++
}

// AddMissing counts an issued sample without an answer as wrong.
func (t *GradeTotals) AddMissing(subset string) { t.subsetTally(subset).Issued++ }

func (t *GradeTotals) subsetTally(subset string) *SubsetTally {
	if t.subsets == nil {
		t.subsets = map[string]*SubsetTally{}
	}
	if t.subsets[subset] == nil {
		t.subsets[subset] = &SubsetTally{}
	}
	return t.subsets[subset]
}

// TotalScores contains the scores of all grades. Accuracies are from 0 to 1.
type TotalScores struct {
	Overall    float64            // share of all samples
	Normalized float64            // mean of the categories' accuracies
	Categories map[string]float64 // by category; only categories with samples
	Subsets    map[string]SubsetTally
	Completed  int // samples that were answered
	Issued     int
}

// Scores returns the scores of the grades added so far. If no sample was answered, all scores are 0 and Categories is
// empty.
//
// In non_live, the mean of the simple_ subsets counts as one subset. In live, subsets are weighted by their samples.
func (t *GradeTotals) Scores() TotalScores {
	s := TotalScores{Categories: map[string]float64{}, Subsets: map[string]SubsetTally{}, Completed: t.completed}
	right := 0
	for name, tally := range t.subsets {
		s.Issued += tally.Issued
		right += tally.Right
		s.Subsets[name] = *tally
	}
	if t.completed == 0 {
		s.Subsets = map[string]SubsetTally{}
		return s
	}
	s.Overall = float64(right) / float64(s.Issued)
	var all []float64
	for _, c := range Categories() {
		if v, ok := t.categoryAccuracy(c); ok {
			s.Categories[c.Name] = v
			all = append(all, v)
		}
	}
	if len(all) > 0 {
		s.Normalized = mean(all)
	}
	return s
}

// categoryAccuracy returns a category's accuracy. ok is false if the category has no samples.
func (t *GradeTotals) categoryAccuracy(c SubsetCategory) (accuracy float64, ok bool) {
	present := slices.DeleteFunc(slices.Clone(c.Subsets), func(name string) bool { return t.subsets[name] == nil })
	if len(present) == 0 {
		return 0, false
	}
	var simple, others []float64
	weighted, issued := 0.0, 0
	for _, name := range present {
		tally := t.subsets[name]
		weighted += tally.Accuracy() * float64(tally.Issued)
		issued += tally.Issued
		if c.Name == "non_live" && strings.HasPrefix(name, "simple_") {
			simple = append(simple, tally.Accuracy())
		} else {
			others = append(others, tally.Accuracy())
		}
	}
	if c.Name == "live" {
		return weighted / float64(issued), true
	}
	if len(simple) > 0 {
		others = append([]float64{mean(simple)}, others...)
	}
	return mean(others), true
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
