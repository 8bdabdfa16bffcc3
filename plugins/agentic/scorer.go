package agentic

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/bfcl"
	data "github.com/plumbline-ml/plumbline/datasets/bfcl"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// callScorer grades answers to questions.
type callScorer struct {
	samples      []data.FunctionSample
	truths       []bfcl.GradingSample
	grades       map[uint64]bfcl.Grade
	emptyAnswers int // number of empty answers
}

func newCallScorer(samples []data.FunctionSample) (*callScorer, error) {
	s := &callScorer{samples: samples, grades: map[uint64]bfcl.Grade{}}
	for _, of := range samples {
		truth, err := bfcl.ParseSample(of.Subset, of.Functions, of.Answers)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.ID, err)
		}
		s.truths = append(s.truths, truth)
	}
	return s, nil
}

// Add grades an answer.
func (s *callScorer) Add(sample uint64, answer []byte) error {
	if len(answer) == 0 {
		s.emptyAnswers++
	}
	s.grades[sample] = s.truths[sample].Score(string(answer))
	return nil
}

// Names of the metrics.
const (
	overallMetric    = "overall_accuracy"
	normalizedMetric = "normalized_single_turn_score"
)

func roundPercent(share float64) float64 { return pyfloat.Round(100*share, 2) }

func formatPercent(share float64) string { return pyfloat.Repr(roundPercent(share)) }

// Result returns the total scores of the grades.
func (s *callScorer) Result() (bfcl.TotalScores, error) {
	return s.sumGrades(func(i int) (right, answered bool) {
		g, ok := s.grades[uint64(i)]
		return g.Right, ok
	}), nil
}

func (s *callScorer) scoreCalls(scores bfcl.TotalScores, c scoring.Counts) (sdk.Score, error) {
	floor := s.sumGrades(func(i int) (right, answered bool) { return s.truths[i].Score("").Right, true })
	score := sdk.Score{Metrics: []sdk.Metric{
		{Name: overallMetric, Unit: "%", Value: 100 * scores.Overall},
		{Name: normalizedMetric, Unit: "%", Value: 100 * scores.Normalized},
	}}
	score.OfficialText = s.formatBreakdown(scores)
	entry, err := json.MarshalIndent(s.endpointsEntry(scores), "", "  ")
	if err != nil {
		return score, err
	}
	score.Files = []sdk.ScoreFile{{Name: "endpoints/bfcl_v4.json", Data: append(entry, '\n')}}
	var n sdk.Notes
	n.Add("floor: whoever never calls a function has %.2f %% overall, %.2f %% normalized", 100*floor.Overall,
		100*floor.Normalized)
	n.AddCount(c.Missing(), "%d samples have no answer in the log, and count as wrong")
	n.AddDropped(c.Repeated())
	n.AddCount(c.Outside, "%d entries are of samples beyond the data set and were dropped")
	n.AddCount(s.emptyAnswers, "%d answers are empty, which is right where no function helps")
	s.noteSources(&n)
	score.Notes = n
	return score, nil
}

// sumGrades computes the total scores of all samples from the grade of each.
func (s *callScorer) sumGrades(grade func(i int) (right, answered bool)) bfcl.TotalScores {
	var t bfcl.GradeTotals
	for i, truth := range s.truths {
		if right, answered := grade(i); answered {
			t.Add(truth.Subset, right)
		} else {
			t.AddMissing(truth.Subset)
		}
	}
	return t.Scores()
}

// noteSources adds notes about where calls were found and where the official scoring would have stopped.
func (s *callScorer) noteSources(n *sdk.Notes) {
	guessed, listed, native, stops := 0, 0, 0, 0
	var first string
	for i := range s.truths {
		g, ok := s.grades[uint64(i)]
		switch {
		case !ok:
			continue
		case g.Source == bfcl.GuessedCalls:
			guessed++
		case g.Source == bfcl.ListedCalls:
			listed++
		case g.Source == bfcl.NativeCalls:
			native++
		}
		if g.Stops != nil {
			if stops++; stops == 1 {
				first = s.samples[i].ID + ": " + g.Stops.Error()
			}
		}
	}
	if len(s.grades) > 0 && native+listed+guessed == 0 {
		n.Add("no answer calls a function: does the server show its model the functions (tools) of a request, by a chat " +
			"template that has a place for them?")
	}
	n.AddCount(listed, "%d answers list calls in their text")
	n.AddCount(guessed, "%d answers have calls as text, which were read as Python: has the server a parser of its "+
		"model's "+
		"calls (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice)?")
	n.AddCount(stops, "%d answers count as wrong at which the official scoring would have stopped without a figure; the "+
		"first: %s", first)
}

// formatBreakdown returns the breakdown of scores, one figure per line.
func (s *callScorer) formatBreakdown(scores bfcl.TotalScores) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s=%s%%\n%s=%s%%\n", overallMetric, formatPercent(scores.Overall), normalizedMetric,
		formatPercent(scores.Normalized))
	for _, c := range bfcl.Categories() {
		if v, ok := scores.Categories[c.Name]; ok {
			fmt.Fprintf(&b, "%s=%s%%\n", c.Name, formatPercent(v))
		}
	}
	for _, name := range bfcl.Subsets() {
		if t, ok := scores.Subsets[name]; ok {
			fmt.Fprintf(&b, "%s=%s%% of %d\n", name, formatPercent(t.Accuracy()), t.Issued)
		}
	}
	return b.String()
}

// endpointsEntry returns the data set's entry in accuracy_results.json of the endpoints harness.
func (s *callScorer) endpointsEntry(scores bfcl.TotalScores) any {
	type counts struct {
		Issued  int `json:"issued"`
		Scored  int `json:"scored"`
		Empty   int `json:"empty"`
		Missing int `json:"missing"`
	}
	categories, subsets := map[string]float64{}, map[string]float64{}
	for name, v := range scores.Categories {
		categories[name] = roundPercent(v)
	}
	for name, t := range scores.Subsets {
		subsets[name] = roundPercent(t.Accuracy())
	}
	return struct {
		Score     float64        `json:"score"`
		Samples   int            `json:"total_samples"`
		Breakdown map[string]any `json:"breakdown"`
		Counts    counts         `json:"response_counts"`
	}{
		scores.Overall, scores.Completed,
		map[string]any{
			overallMetric: roundPercent(scores.Overall), normalizedMetric: roundPercent(scores.Normalized),
			"category_scores": categories,
			"subset_scores":   subsets, "total_samples": scores.Completed, "issued_samples": scores.Issued,
		},
		counts{scores.Issued, scores.Completed - s.emptyAnswers, s.emptyAnswers, scores.Issued - scores.Completed},
	}
}

// callGallery shows questions with wrong answers.
type callGallery struct{ *callScorer }

// rateAnswer rates answers at which the official scoring stops as the worst, then wrong answers.
func (g callGallery) rateAnswer(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	grade, ok := g.grades[e.QSLIndex]
	if !ok {
		return 0, nil
	}
	switch {
	case grade.Stops != nil && !grade.Right:
		badness = 2
	case !grade.Right:
		badness = 1
	}
	return badness, func() (sdk.Exhibit, error) { return g.showAnswer(e), nil }
}

func (g callGallery) showAnswer(e mllog.AccuracyEntry) sdk.Exhibit {
	of, grade := g.samples[e.QSLIndex], g.grades[e.QSLIndex]
	verdict := "right"
	if !grade.Right {
		verdict = "wrong: " + grade.Reason
	}
	asked := make([]string, len(of.Messages))
	for i, m := range of.Messages {
		asked[i] = m.Role + ": " + m.Content
	}
	expected := of.Answers
	if expected == "[]" {
		expected = "no call, or none that is known"
	}
	return sdk.Exhibit{
		Caption: fmt.Sprintf("%s: %s", of.ID, verdict),
		Text:    exhibit.Paragraphs("ASKED", strings.Join(asked, "\n"), "EXPECTED", expected, "ANSWERED", string(e.Data)),
	}
}

// sortedKeys returns the sorted keys of a map.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
