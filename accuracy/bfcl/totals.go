package bfcl

import (
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

// SubsetCategory is a group of subsets with equal weights in the normalized score.
type SubsetCategory struct {
	Name    string
	Subsets []string
}

// Categories are those of the single-turn part. live_relevance is in none.
func Categories() []SubsetCategory {
	all := Subsets()
	return []SubsetCategory{{"non_live", all[:6]}, {"live", all[6:10]}, {"hallucination", all[10:12]}}
}

// GradeTotals accumulates grades. The zero value is empty.
type GradeTotals struct {
	subsets   map[string]*SubsetTally
	completed int
}

// SubsetTally counts the right and the issued samples of a subset.
type SubsetTally struct{ Right, Issued int }

// Accuracy is the share of right answers among issued samples, 0 to 1.
func (t SubsetTally) Accuracy() float64 { return float64(t.Right) / float64(t.Issued) }

// Add counts an answer.
func (t *GradeTotals) Add(subset string, right bool) {
	tally := t.tallyOf(subset)
	tally.Issued++
	if right {
		tally.Right++
	}
	t.completed++
}

// AddMissing counts a sample that was issued and never answered: it is wrong.
func (t *GradeTotals) AddMissing(subset string) { t.tallyOf(subset).Issued++ }

func (t *GradeTotals) tallyOf(subset string) *SubsetTally {
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
	Overall    float64            // of all samples
	Normalized float64            // mean of the categories
	Categories map[string]float64 // those of which there are samples
	Subsets    map[string]SubsetTally
	Completed  int // samples that were answered
	Issued     int
}

// Scores may be asked at any time. Where no sample was answered, all are 0, and there are no categories.
//
// Of non_live, the subsets called simple_ are one by their mean; of live, subsets weigh by their samples.
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

// categoryAccuracy is a category's accuracy; ok is false where it has no samples.
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
