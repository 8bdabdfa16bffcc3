package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// runVerdict is the verdict on a run, with a CSS class and a sign.
type runVerdict struct{ Verdict, Class, Sign string }

func verdictOf(r record.Run) runVerdict {
	v := runVerdict{r.Verdict, "warn", "!"}
	switch {
	case r.Status == record.Failed || isInvalid(r) || strings.HasPrefix(r.Verdict, "BELOW"),
		strings.HasPrefix(r.Verdict, "ABOVE"):
		v.Class, v.Sign = "bad", "✗"
	case r.Verdict == "HOLDS" && r.Serving != nil && r.Serving.Doubted():
		v.Verdict += ", " + strings.Join(r.Serving.Doubts(), ", ")
	case strings.HasPrefix(r.Verdict, "VALID"), r.Verdict == "PASS", r.Verdict == "HOLDS":
		v.Class, v.Sign = "good", "✓"
	case r.Serving != nil && r.Verdict == "MISSES":
		v.Class, v.Sign = "bad", "✗"
	case r.Serving != nil && r.Status == record.Complete: // servers have measurements but no verdict
		v.Class, v.Sign = "plain", "•"
	}
	v.Verdict = cmp.Or(v.Verdict, "no verdict")
	if r.Status == record.Complete && r.TestVerdict != "" {
		v = ofTest(r, v)
	}
	return v
}

// isInvalid reports whether LoadGen judged a run INVALID.
func isInvalid(r record.Run) bool { return strings.HasPrefix(r.Verdict, "INVALID") }

// ofTest adds the verdict of the run's compliance test, which decides the class and the sign. A VALID run can fail its
// test.
func ofTest(r record.Run, v runVerdict) runVerdict {
	v.Verdict += ", " + r.Test + " " + string(r.TestVerdict)
	switch r.TestVerdict {
	case record.TestPassed:
		v.Class, v.Sign = "good", "✓"
	case record.TestFailed:
		v.Class, v.Sign = "bad", "✗"
	case record.TestNotJudged:
		v.Class, v.Sign = "warn", "!"
	}
	return v
}

// pageTitle returns the names of the models.
func (r Report) pageTitle() string {
	var models []string
	for _, f := range r.Set.Runs {
		if !slices.Contains(models, f.Model) {
			models = append(models, f.Model)
		}
	}
	for _, t := range r.Tuned {
		if !slices.Contains(models, t.For.Model) {
			models = append(models, t.For.Model)
		}
	}
	if len(models) == 0 {
		return "No runs"
	}
	if len(models) > 4 {
		return figure.Plural(len(r.Set.Runs), "run") + " of " + figure.Plural(len(models), "model")
	}
	return strings.Join(models, ", ")
}

// verdictCounts returns the number of runs per verdict.
func (r Report) verdictCounts() string {
	text := countVerdicts(r.Set.Runs)
	switch tuned := figure.Plural(len(r.Tuned), "profile") + " of harness tune"; {
	case len(r.Tuned) == 0:
		return text
	case len(r.Set.Runs) == 0:
		return tuned
	default:
		return text + "; " + tuned
	}
}

// countVerdicts returns the number of runs per verdict: "3 runs: 2 VALID, 1 PASS".
func countVerdicts(runs []results.FoundRun) string {
	var verdicts []string
	counts := map[string]int{}
	for _, f := range runs {
		v := verdictOf(f.Run).Verdict
		if counts[v] == 0 {
			verdicts = append(verdicts, v)
		}
		counts[v]++
	}
	parts := make([]string, len(verdicts))
	for i, v := range verdicts {
		parts[i] = figure.Count(uint64(counts[v])) + " " + v
	}
	return figure.Plural(len(runs), "run") + ": " + strings.Join(parts, ", ")
}

// resultNotes returns the notes in the results.
func (r Report) resultNotes() []string {
	for _, f := range r.Set.Runs {
		if f.Serving != nil && f.Effective == nil { // measured without LoadGen
			continue
		}
		if f.LoadGen == nil || f.LoadGen.Rehearses() {
			return []string{record.Note}
		}
	}
	return nil
}
