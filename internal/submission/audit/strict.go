package audit

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// judgeStrict judges an audit by the full meaning of the rules.
func judgeStrict(ctx context.Context, r Request, d evidence.DType) (Verdict, error) {
	j := &auditJudge{request: r, dtype: d, rules: r.Rules, scenario: r.Scenario}
	if j.rules == nil {
		newest, err := mlconf.Round("")
		if err != nil {
			return Verdict{}, err
		}
		j.rules = newest
	}
	j.scoring = evidence.ScoringOf(j.rules)
	if j.request.Rules = j.rules; j.request.comparesTwo() {
		return j.judgeCachingRuns(), nil
	}
	if j.config = r.Config; j.config != nil && j.config.LimitsOrigin != "" {
		j.addNotef("%s", j.config.LimitsOrigin)
	}
	if r.Model != "" && j.config == nil {
		if c, err := ConfigOf(j.rules, r.Test, r.Model); err == nil {
			j.config = &c
		} else {
			j.addNotef("%v: the settings of the run are not compared", err)
		}
	}
	switch r.Test {
	case "TEST01":
		return j.judgeTest01(ctx), ctx.Err()
	case tree.Caching, "TEST05":
		return j.judgeTest04(), nil
	case "TEST06":
		return j.judgeTest06(ctx)
	case "TEST07":
		return j.judgeTest07(ctx)
	case "TEST08":
		return j.judgeTest08(ctx), ctx.Err()
	}
	return j.judgeTest09(ctx)
}

// joinVerdict joins the halves' verdicts. texts contains the official texts by file name. A text whose half has reasons
// ends with these reasons and does not state that the half passed.
func (j *auditJudge) joinVerdict(texts map[string]string) Verdict {
	v := Verdict{Test: j.request.Test, Notes: j.notes, Texts: map[string]string{}}
	v.Reasons = append(append(append(v.Reasons, j.bothReasons...), j.accuracyReasons...), j.performanceReasons...)
	v.Pass = len(v.Reasons) == 0
	for name, text := range texts {
		reasons := append(append([]Reason{}, j.bothReasons...), j.accuracyReasons...)
		if name == tree.VerifyPerformance {
			reasons = append(append([]Reason{}, j.bothReasons...), j.performanceReasons...)
			v.Performance = OutcomeOf(len(reasons) == 0)
		} else {
			v.Accuracy = OutcomeOf(len(reasons) == 0)
		}
		v.Texts[name] = refusedText(text, reasons)
	}
	v.TakeLogs(j.request)
	return v
}

// refusedText returns a text with its verdict changed to a failure if there are reasons.
func refusedText(text string, reasons []Reason) string {
	if len(reasons) == 0 {
		return text
	}
	for _, word := range []struct{ pass, fail string }{
		{evidence.Pass, evidence.Fail}, {"pass: True", "pass: False"}, {"pass: Skipped", "pass: False"},
		{"TEST06 verification complete", "TEST06 verification failed"},
	} {
		text = strings.ReplaceAll(text, word.pass, word.fail)
	}
	if !strings.Contains(text, evidence.Fail) && !strings.Contains(text, "failed") {
		text += evidence.Fail + "\n"
	}
	var b strings.Builder
	b.WriteString(text)
	for _, r := range reasons {
		fmt.Fprintf(&b, "%s: %s\n", r.Check, r)
	}
	return b.String()
}

// readAnswers streams an accuracy log.
func (j *auditJudge) readAnswers(ctx context.Context, path, what string, use func(mllog.AccuracyEntry)) (entries int) {
	if err := checkReadable(path); err != nil {
		j.addUnreadable(&j.accuracyReasons, path, what, err)
		return 0
	}
	f, err := os.Open(path)
	if err != nil {
		j.addUnreadable(&j.accuracyReasons, path, what, err)
		return 0
	}
	defer f.Close()
	for log := mllog.NewAccuracyReader(f); ctx.Err() == nil; entries++ {
		e, err := log.Next()
		switch {
		case err == io.EOF && entries == 0: //nolint:errorlint // the reader's contract
			j.addReason(&j.accuracyReasons, Reason{Check: "log-empty", File: path, Found: "no entry", Want: what,
				Advice: "take the log of a run that logged its answers"})
			return 0
		case err == io.EOF: //nolint:errorlint // as above
			return entries
		case err != nil:
			j.hasBrokenLog = true
			j.addReason(&j.accuracyReasons, Reason{Check: "log-cut", File: path, Found: err.Error(), Want: "a whole " + what,
				Advice:  "take the log as LoadGen wrote it: packing a submission cuts logs short, so judge before that",
				Missing: true})
			return entries
		}
		use(e)
	}
	return entries
}

const (
	accuracyLogName = "accuracy log of the submission's accuracy run"
	auditLogName    = "accuracy log of the audit's run"
)
