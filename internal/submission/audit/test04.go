package audit

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// judgeTest04 judges TEST04, which repeats one sample, and TEST05, which uses other seeds. Their speed must equal the
// submission's.
func (j *auditJudge) judgeTest04() Verdict {
	j.readLogs(true)
	if j.run == nil || j.reference == nil {
		return j.joinVerdict(map[string]string{tree.VerifyPerformance: "Verifying performance.\n"})
	}
	reference, test, ok := j.readScores()
	j.checkTargetLatency()
	text, _ := j.scoring.Text(j.request.Test, logPaths(j.request.Reference), logPaths(j.request.Run))
	if j.request.Test == "TEST05" {
		text = j.officialText(reference, test)
	}
	if ok {
		j.compareRates(reference, test)
	}
	j.checkSummary(j.reference, j.request.Reference.Summary)
	j.checkSummary(j.run, j.request.Run.Summary)
	j.checkOfficialAgrees(text)
	return j.joinVerdict(map[string]string{tree.VerifyPerformance: text})
}

// compareRates compares the scores of the detail logs by the test's rule.
func (j *auditJudge) compareRates(reference, test float64) {
	want, do := "no faster than the submission by a tenth", "answers must not be kept for samples that come again"
	if j.request.Test == "TEST05" {
		want = fmt.Sprintf("as fast as the submission but for %g %%",
			100*j.scoring.Tolerance(j.request.Test, j.scenario, reference))
		do = "the speed must not depend on the seeds"
	}
	switch {
	case InBand(j.rules, j.request.Test, j.scenario, reference, test):
	case InPrintedBand(j.rules, j.request.Test, j.scenario, reference, test):
		j.notePrintedBand(reference, test)
	default:
		j.addReason(&j.performanceReasons, Reason{Check: "score-band", File: j.request.Run.Detail,
			Found: fmt.Sprintf("a score of %g, the submission's is %g", test, reference), Want: want,
			Advice: do + "; run both again on a machine with nothing else to do, if they do not"})
	}
}

// checkSummary requires a summary log that agrees with the detail log.
func (j *auditJudge) checkSummary(d *mllog.Detail, path string) {
	if err := checkReadable(path); err != nil {
		j.addUnreadable(&j.performanceReasons, path, "summary log", err)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		j.addUnreadable(&j.performanceReasons, path, "summary log", err)
		return
	}
	defer f.Close()
	s, err := mllog.ReadSummary(f)
	if err != nil {
		j.addReason(&j.performanceReasons, Reason{Check: "log-format", File: path, Found: err.Error(),
			Want:   "a whole summary log",
			Advice: "take the log as LoadGen wrote it", Missing: true})
		return
	}
	contradicts := func(found, want string) {
		j.addReason(&j.performanceReasons, Reason{Check: "summary", File: path, Found: found,
			Want:   want + " as in the detail log",
			Advice: "take both logs of one run, unchanged"})
	}
	// summaries of early rounds write the scenario as several words: Single Stream
	if scenario := logText(d, "effective_scenario"); mllog.Word(s.Scenario) != scenario {
		contradicts("the scenario "+valueOrMissing(s.Scenario), scenario)
	}
	if valid := logText(d, "result_validity"); s.Result != valid {
		contradicts("the result "+valueOrMissing(s.Result), valid)
	}
	want, _, ok := scoreOf(j.scoring, d, j.scenario)
	if got, found := j.scoring.ScoreInSummary(path); ok && (!found || math.Abs(got-want) > 0.01+1e-4*want) {
		contradicts(fmt.Sprintf("a score of %g", got), fmt.Sprintf("%g", want))
	}
}

// judgeCachingRuns judges TEST04 of rounds before v2.1. Run, which repeats one sample, must not be faster than
// Reference, which issues each sample once. Both issue as many samples as are loaded, so they need not be VALID.
func (j *auditJudge) judgeCachingRuns() Verdict {
	j.reference = j.readCachingRun(tree.CachingUnique, j.request.Reference.Detail)
	j.run = j.readCachingRun(tree.CachingSame, j.request.Run.Detail)
	text := "Verifying performance.\n"
	if j.run != nil && j.reference != nil {
		j.checkScenarios()
		text = j.compareCachingRuns()
	}
	return j.joinVerdict(map[string]string{tree.VerifyPerformance: text})
}

// readCachingRun reads the log of one of the two runs and checks it by the run's own configuration.
func (j *auditJudge) readCachingRun(name, path string) *mllog.Detail {
	k := &auditJudge{request: j.request, rules: j.rules, scoring: j.scoring}
	k.request.Run.Detail = path
	if c, err := ConfigOf(j.rules, name, j.request.Model); err == nil {
		k.config = &c
	}
	if k.run = k.readDetail(path, "detail log of the run of "+name); k.run != nil {
		k.scenario = logText(k.run, "effective_scenario")
		j.scenario = k.scenario
		k.checkMode(k.run, path)
		k.checkNoErrors(k.run, path, true)
		k.checkOnce(k.run, path)
		k.checkAuditMark()
		k.checkSettings()
	}
	j.bothReasons, j.hasBrokenLog = append(j.bothReasons, k.bothReasons...), j.hasBrokenLog || k.hasBrokenLog
	for _, note := range k.notes {
		if !slices.Contains(j.notes, note) {
			j.notes = append(j.notes, note)
		}
	}
	return k.run
}

// compareCachingRuns compares the scores of the two runs by the rule and returns the official script's text.
func (j *auditJudge) compareCachingRuns() (text string) {
	unique, same, ok := j.readScores()
	j.checkTargetLatency()
	text = j.officialText(unique, same)
	switch {
	case !ok || !j.scoring.IsCached(tree.Caching, j.scenario, unique, same):
	case InPrintedBand(j.rules, tree.Caching, j.scenario, unique, same):
		j.notePrintedBand(unique, same)
	default:
		j.addReason(&j.performanceReasons, Reason{Check: "score-band", File: j.request.Run.Detail,
			Found: fmt.Sprintf("a score of %g, that of %s is %g", same, tree.CachingUnique, unique),
			Want: fmt.Sprintf("%s faster by less than %g %%", tree.CachingSame,
				100*j.scoring.Tolerance(tree.Caching, j.scenario, unique)),
			Advice: "answers must not be kept for samples that come again; run both again on a machine with nothing else " +
				"to do, if they are not"})
	}
	j.checkSummary(j.reference, j.request.Reference.Summary)
	j.checkSummary(j.run, j.request.Run.Summary)
	j.checkOfficialAgrees(text)
	return text
}
