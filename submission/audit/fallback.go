package audit

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/submission/result"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// onlyDiffers says whether nothing else is wrong with the answers than that they differ.
func (j *judge) onlyDiffers() bool {
	return len(j.both) == 0 && len(j.accuracy) == 1 && j.accuracy[0].Check == checkAnswers
}

// fallback compares accuracies where answers differ, as TEST01's README has it in part III: that of the accuracy run on
// the audit's samples with that of the audit. The scores are those that lie beside the audit's accuracy log, or are
// made by the request's scorer.
func (j *judge) fallback(ctx context.Context, v *Verdict) {
	beside := filepath.Dir(j.r.Run.Accuracy)
	baseline, err := os.ReadFile(filepath.Join(beside, tree.BaselineAccuracy))
	compliance, err2 := os.ReadFile(filepath.Join(beside, tree.ComplianceAccuracy))
	texts := [2]string{string(baseline), string(compliance)}
	if err != nil || err2 != nil || j.r.scores() {
		if !j.r.scores() {
			return
		}
		if texts, err = j.scoreBoth(ctx); err != nil {
			v.Reasons = append(v.Reasons, Reason{Check: "baseline", File: j.r.Run.Accuracy, Found: err.Error(),
				Want: "the accuracy of both runs on the audit's samples", Do: "mend what the scorer says", Rule: j.source()})
			return
		}
	}
	v.Texts[tree.AccuracyDir+"/"+tree.BaselineAccuracy] = texts[0]
	v.Texts[tree.AccuracyDir+"/"+tree.ComplianceAccuracy] = texts[1]
	v.Texts[tree.AccuracyDir+"/"+tree.AccuracyText] = texts[1]
	reasons := j.compareAccuracies(texts)
	if len(reasons) > 0 {
		v.Reasons = append(v.Reasons, reasons...)
		return
	}
	v.Notes = append(v.Notes, "answers differ, and the accuracies do not: "+v.Reasons[0].Found)
	v.Reasons = slices.DeleteFunc(v.Reasons, func(r Reason) bool { return r.Check == checkAnswers })
	v.Accuracy, v.Pass = Passed, len(v.Reasons) == 0
}

// scores says whether the request can score a log.
func (r Request) scores() bool { return r.Score != nil || r.Command != "" }

// scoreBoth scores the baseline log, made for the purpose, and the audit's log.
func (j *judge) scoreBoth(ctx context.Context) (texts [2]string, err error) {
	dir, err := os.MkdirTemp("", "baseline-")
	if err != nil {
		return texts, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, tree.AccuracyLog)
	f, err := os.Create(path)
	if err != nil {
		return texts, err
	}
	err = Baseline(f, j.r.Reference.Accuracy, j.r.Run.Accuracy)
	if closed := f.Close(); err == nil {
		err = closed
	}
	for i, log := range []string{path, j.r.Run.Accuracy} {
		if err == nil {
			texts[i], _, err = j.r.scoreText(ctx, log)
		}
	}
	return texts, err
}

// compareAccuracies compares each metric of the model as the submission checker does.
func (j *judge) compareAccuracies(texts [2]string) (reasons []Reason) {
	baseline, compliance := j.metrics(texts[0]), j.metrics(texts[1])
	wanted := map[string]bool{}
	for _, t := range j.rules.Targets(j.r.Model, j.r.Scenario) {
		wanted[t.Metric] = true
	}
	if len(wanted) == 0 {
		return []Reason{{Check: "baseline", Found: "no metric of the model " + orNone(j.r.Model),
			Want: "a model of the rules, whose metrics are compared", Do: "name it: --model", Rule: j.source()}}
	}
	for _, metric := range slices.Sorted(maps.Keys(wanted)) {
		a, b := baseline[metric], compliance[metric]
		percent := result.Delta(a, b)
		if limit := j.rules.DeltaPercent(j.r.Model, metric); a == 0 || b == 0 || !(percent <= limit) {
			reasons = append(reasons, Reason{Check: "baseline", Found: fmt.Sprintf(
				"%s %s in the audit and %s in the accuracy run on the same samples, %.3g %% apart", metric, figureOr(b),
				figureOr(a), percent),
				Want: fmt.Sprintf("at most %g %%", limit), Do: "find why accuracy differs in performance mode", Rule: j.source()})
		}
	}
	return reasons
}

func figureOr(v float64) string {
	if v == 0 {
		return "none"
	}
	return result.Text(v)
}

// metrics are what a text of an accuracy script says of the model's metrics; the last line of each counts.
func (j *judge) metrics(text string) map[string]float64 {
	found := map[string]float64{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		for _, t := range j.rules.Targets(j.r.Model, j.r.Scenario) {
			value, ok := result.Accuracy(t.Metric, lines.Text())
			if v, number := pyfloat.Parse(value); ok && number {
				found[t.Metric] = v
			}
		}
	}
	return found
}
