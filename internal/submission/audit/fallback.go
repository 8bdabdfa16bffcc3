package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// onlyAnswersDiffer reports whether differing answers are the only fault.
func (j *auditJudge) onlyAnswersDiffer() bool {
	return len(j.bothReasons) == 0 && len(j.accuracyReasons) == 1 && j.accuracyReasons[0].Check == answersCheck
}

// judgeFallback compares accuracies if answers differ, as described in part III of TEST01's README: the accuracy of the
// accuracy run on the audit's samples, and the accuracy of the audit. The scores come from the files next to the
// audit's accuracy log, or from the request's scorer.
func (j *auditJudge) judgeFallback(ctx context.Context, v *Verdict) {
	beside := filepath.Dir(j.request.Run.Accuracy)
	baseline, err := os.ReadFile(filepath.Join(beside, tree.BaselineAccuracy))
	compliance, err2 := os.ReadFile(filepath.Join(beside, tree.ComplianceAccuracy))
	texts := [2]string{string(baseline), string(compliance)}
	if err != nil || err2 != nil || j.request.canScore() {
		if !j.request.canScore() {
			return
		}
		if texts, err = j.scoreBoth(ctx); err != nil {
			v.Reasons = append(v.Reasons, Reason{Check: "baseline", File: j.request.Run.Accuracy, Found: err.Error(),
				Want: "the accuracy of both runs on the audit's samples", Advice: "mend what the scorer says",
				Rule: j.ruleSource()})
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
	v.Reasons = slices.DeleteFunc(v.Reasons, func(r Reason) bool { return r.Check == answersCheck })
	v.Accuracy, v.Pass = Passed, len(v.Reasons) == 0
}

// canScore reports whether the request can score a log.
func (r Request) canScore() bool { return r.Score != nil || r.Command != "" }

// scoreBoth scores a temporary baseline log and the audit's log.
func (j *auditJudge) scoreBoth(ctx context.Context) (texts [2]string, err error) {
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
	err = Baseline(f, j.request.Reference.Accuracy, j.request.Run.Accuracy)
	if closed := f.Close(); err == nil {
		err = closed
	}
	for i, log := range []string{path, j.request.Run.Accuracy} {
		if err == nil {
			texts[i], _, err = j.request.scoreText(ctx, log)
		}
	}
	return texts, err
}

// compareAccuracies compares each metric of the model like the submission checker.
func (j *auditJudge) compareAccuracies(texts [2]string) (reasons []Reason) {
	changes, err := result.CompareMetrics(j.rules, j.request.Model, j.request.Scenario, texts[0], texts[1])
	if err != nil {
		reasons = append(reasons, Reason{Check: "baseline", File: j.request.Run.Accuracy,
			Found:  strings.ReplaceAll(err.Error(), "\n", "; "),
			Want:   "the accuracy of both runs on the audit's samples, as the benchmark's script prints it",
			Advice: "name the model (--model), and a scorer that prints its metrics", Rule: j.ruleSource()})
	}
	for _, c := range changes {
		if !c.IsPermitted() {
			reasons = append(reasons, Reason{Check: "baseline", Found: fmt.Sprintf(
				"%s %s in the audit and %s in the accuracy run on the same samples, %.3g %% apart", c.Metric,
				result.FormatNumber(c.Compliance), result.FormatNumber(c.Baseline), c.Percent),
				Want: fmt.Sprintf("at most %g %%", c.MaxPercent), Advice: "find why accuracy differs in performance mode",
				Rule: j.ruleSource()})
		}
	}
	return reasons
}
