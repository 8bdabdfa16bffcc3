package reasoning

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/reasoning/mathgrade"
)

// LogResult is the score of one log, with counts and notes that explain it.
type LogResult struct {
	Script  Script
	Sets    []SetShare // by name
	Answers int        // entries that count
	Right   int
	Tokens  int // ids in the payloads of Answers

	// Algebra names the program that compared mathematical answers whose texts differ. Steps contains the number of
	// answers that each step decided. Numeric is the number of answers that are equal only numerically, not by exact
	// arithmetic.
	Algebra string
	Steps   [mathgrade.Steps]int
	Numeric int

	NotExecuted int // programs that were not executed
	Loose       int // letters without an announcement such as "Answer:"
	LooseRight  int // correct letters among Loose

	Missing    int // samples without an entry
	Duplicates int // repeated entries of a sample: DeepSeek-R1's script drops them, gpt-oss-120b's counts them
	Outside    int // entries of samples outside the data set, which are dropped
	Negative   int // entries whose index counts from the end of the data set
	Damaged    int // entries dropped because their payload does not contain ids

	// BadTruths is the number of answers whose truth no answer can equal. They count as wrong. BadTruth describes the
	// first such truth.
	BadTruths int
	BadTruth  string
}

// SetShare is the share of one data set in the score.
type SetShare struct {
	Name        string
	Answers     int
	Right       int
	NotExecuted int
	// Repeats is how often each question is asked. The set's share in the score is divided by it.
	Repeats int
}

func sortedSets(sets map[string]*SetShare) []SetShare {
	shares := []SetShare{}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		shares = append(shares, *sets[name])
	}
	return shares
}

func (r *LogResult) noteBadTruth(index int, row TruthRow, g Grader) {
	if r.BadTruths == 0 {
		r.BadTruth = fmt.Sprintf("sample %d of %s has the truth %q, want %s", index, row.Set, row.Truth, g.describeTruth())
	}
	r.BadTruths++
}

func (r *LogResult) countStep(v mathgrade.GradeVerdict) {
	r.Steps[v.Step]++
	if v.Equal && v.Numeric {
		r.Numeric++
	}
}

// Decisions returns the number of mathematical answers that each step decided, such as "first normal form 12, equal by
// algebra 3", or "" if there are none.
func (r LogResult) Decisions() string {
	var parts []string
	for step, n := range r.Steps {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%v %d", mathgrade.Step(step), n))
		}
	}
	return strings.Join(parts, ", ")
}

// Accuracy returns the share of right answers in percent.
func (s SetShare) Accuracy() float64 { return 100 * ratioOf(s.Right, s.Answers) }

// Score returns the set's share in the score and its maximum.
func (s SetShare) Score() (score, maxScore float64) {
	return float64(s.Right) / float64(s.Repeats), float64(s.Answers) / float64(s.Repeats)
}

// ratioOf returns part/all, or 0 if all is 0.
func ratioOf(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// totalScores returns the sums over all sets, in their order.
func (r LogResult) totalScores() (score, maxScore float64) {
	for _, s := range r.Sets {
		own, all := s.Score()
		score += own
		maxScore += all
	}
	return score, maxScore
}

// ExactMatch returns the official metric in percent, not rounded. ok is false if programs were not executed, because
// the metric then does not exist.
func (r LogResult) ExactMatch() (value float64, ok bool) {
	if r.NotExecuted > 0 {
		return 0, false
	}
	if r.Script == DeepSeekR1 {
		return 100 * float64(r.Right) / float64(r.Answers), true
	}
	score, maxScore := r.totalScores()
	if maxScore == 0 {
		return 0, true
	}
	return 100 * (score / maxScore), true
}

// TokensPerSample returns the mean length of the counted answers in tokens, not rounded.
func (r LogResult) TokensPerSample() float64 { return ratioOf(r.Tokens, r.Answers) }

// String returns the text that the official script prints, from the first line of the result on. gpt-oss-120b's script
// does not print the tokens per sample, but the submission checker limits them, so String appends them. Without
// ExactMatch, the text states why the metric is missing.
func (r LogResult) String() string {
	if r.Script == DeepSeekR1 {
		return r.dictionaryText()
	}
	return r.tableText()
}

func (r LogResult) notExecutedText() string {
	if r.NotExecuted == 1 {
		return "No exact match: 1 program was not executed."
	}
	return fmt.Sprintf("No exact match: %d programs were not executed.", r.NotExecuted)
}

func (r LogResult) dictionaryText() string {
	tokens := pyfloat.Repr(r.TokensPerSample())
	exact, ok := r.ExactMatch()
	if !ok {
		return fmt.Sprintf("\nResults\n\n{'tokens_per_sample': %s, 'num-samples': %d}\n%s\n",
			tokens, r.Answers, r.notExecutedText())
	}
	return fmt.Sprintf("\nResults\n\n{'exact_match': %s, 'tokens_per_sample': %s, 'num-samples': %d}\n",
		pyfloat.Repr(exact), tokens, r.Answers)
}

func (r LogResult) tableText() string {
	double, single := strings.Repeat("=", 80), strings.Repeat("-", 80)
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	line("\n%s\nMLPerf Accuracy Evaluation Results\n%s", double, double)
	line("Total samples evaluated: %d", r.Answers)
	line("Overall raw accuracy: %.2f%% (%d/%d)",
		100*ratioOf(r.Right, r.Answers), r.Right, r.Answers)
	line("%s\n\nPer-Dataset Breakdown:\n%s", double, single)
	line("%-25s %8s %8s %8s %10s %10s\n%s", "Dataset", "Correct", "Total", "Repeats", "Score", "Accuracy", single)
	for _, s := range r.Sets {
		score, _ := s.Score()
		line("%-25s %8d %8d %8d %10.2f %9.2f%%", s.Name, s.Right, s.Answers, s.Repeats, score, s.Accuracy())
	}
	line("%s", double)
	exact, ok := r.ExactMatch()
	if !ok {
		line("%s", r.notExecutedText())
	} else {
		line("\nFinal Score Calculation:\n%s\n%s", single, r.formulaText())
		score, maxScore := r.totalScores()
		line("\nFINAL SCORE: %.2f%% (%.2f/%.2f)\n%s", exact, score, maxScore, double)
		line("\n\nPrinting for submission_checker:\n\n'exact_match': %.3f", exact)
	}
	line("'tokens_per_sample': %s", pyfloat.Repr(r.TokensPerSample()))
	return b.String()
}

// formulaText returns the formula that computes the score from those of the sets.
func (r LogResult) formulaText() string {
	var names, right, shares, all []string
	for _, s := range r.Sets {
		score, _ := s.Score()
		names = append(names, fmt.Sprintf("%s/%d", s.Name, s.Repeats))
		right = append(right, fmt.Sprintf("%d/%d", s.Right, s.Repeats))
		shares = append(shares, fmt.Sprintf("%.2f", score))
		all = append(all, fmt.Sprintf("%d/%d", s.Answers, s.Repeats))
	}
	sum := func(parts []string) string { return strings.Join(parts, " + ") }
	score, maxScore := r.totalScores()
	return fmt.Sprintf("Formula: %s\nScore:   = %s\n         = %s\n         = %.2f\nMax:     = %s\n         = %.2f",
		sum(names), sum(right), sum(shares), score, sum(all), maxScore)
}
