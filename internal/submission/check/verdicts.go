package check

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkVerdicts checks the files that the test's verification wrote.
func (a *auditFolder) checkVerdicts() {
	if a.test == tree.CachingSame { // TEST04-A's folder contains the verdict
		name := path.Join(a.checker.tree.Layout.Audit(a.Place, tree.CachingUnique), tree.VerifyPerformance)
		if text, err := a.checker.readText(name); err == nil {
			a.checkScores(name, verdictNumbers(trimLines(text)))
		}
	}
	for _, file := range tree.FilesOf(a.test).Verdicts {
		name := path.Join(a.folder, file)
		if !a.checker.tree.HasFile(name) {
			a.addReject(a.rule, name, "a verdict is missing", "", name, "verify the audit: harness audit verify "+a.test)
			continue
		}
		text, err := a.checker.readText(name)
		if err != nil {
			a.addReject(a.rule, name, "the verdict cannot be read", err.Error(), "", "verify the audit again")
			continue
		}
		a.checkVerdict(name, file, trimLines(text))
	}
}

// trimLines returns a text's lines without surrounding white space.
func trimLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

func (a *auditFolder) checkVerdict(name, file string, lines []string) {
	switch {
	case a.test == "TEST06":
		a.checkTokenVerdict(name, lines)
		return
	case a.test == "TEST01" && file == tree.VerifyAccuracy && a.isFailedVerdict(lines):
		a.checkFallback()
		return
	}
	if a.checkPass(name, lines) {
		a.checkNumbers(name, file, lines)
	}
}

// isFailedVerdict reports whether a verdict is not a pass.
func (a *auditFolder) isFailedVerdict(lines []string) bool {
	return !slices.Contains(lines, evidence.Pass)
}

// checkPass requires a line TEST PASS and no line that reports a failure.
func (a *auditFolder) checkPass(name string, lines []string) bool {
	do := "verify the audit again: harness audit verify " + a.test + "; where it fails, run it again"
	found := ""
	for _, line := range lines {
		if strings.Contains(line, evidence.Pass) || strings.Contains(line, evidence.Fail) {
			found = strings.TrimSpace(found + " " + line)
		}
	}
	switch {
	case !slices.Contains(lines, evidence.Pass):
		a.addReject(a.rule, name, "the audit did not pass", found, "a line "+evidence.Pass, do)
	case slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, evidence.Fail) }):
		a.addReject(a.rule, name, "the verdict says both", found, "one verdict", do)
	default:
		return true
	}
	return false
}

// checkTokenVerdict checks the three lines of TEST06.
func (a *auditFolder) checkTokenVerdict(name string, lines []string) {
	first := []string{"First token check pass: True"}
	if a.scenario == "Offline" {
		first = append(first, "First token check pass: Skipped")
	}
	for _, want := range [][]string{first, {"EOS check pass: True"}, {"Sample length check pass: True"}} {
		begin, _, _ := strings.Cut(want[0], ":")
		found := ""
		for _, line := range lines {
			if strings.HasPrefix(line, begin) {
				found = strings.TrimSpace(found + " " + line)
			}
		}
		if !slices.Contains(want, found) {
			a.addReject(a.rule, name, "the audit did not pass", found, strings.Join(want, " or "),
				"verify the audit again: harness audit verify "+a.test)
		}
	}
}

// numberLine matches a line of a verdict with a name and a number.
var numberLine = regexp.MustCompile(`^(.+?)\s*[:=]\s*([-+\d.eE]+)%?$`)

// verdictNumbers returns the numbers of a verdict by their names in lower case. The last number of a name counts.
func verdictNumbers(lines []string) map[string]printedNumber {
	all := map[string]printedNumber{}
	for _, line := range lines {
		if m := numberLine.FindStringSubmatch(line); m != nil {
			if v, ok := parsePrinted(m[2]); ok {
				all[strings.ToLower(m[1])] = v
			}
		}
	}
	return all
}

// checkNumbers checks that the numbers of a PASS verdict agree with it.
func (a *auditFolder) checkNumbers(name, file string, lines []string) {
	all := verdictNumbers(lines)
	for _, count := range []string{"num_perf_log_data_mismatch", "num_unmatched", "num_ne_mismatch"} {
		a.requireMaxNumber(name, all, count, 0)
	}
	for _, count := range []string{"num_perf_log_qsl_idx_match", "num_matched", "num_acc_log_entries"} {
		a.requireMinNumber(name, all, count, 1)
	}
	if n := all["num_missing_qsl_idxs"]; n.value > 0 {
		a.addWarning(a.rule, name, "samples of the audit are not in the accuracy log", quoteValue(n.value), "0",
			"run the accuracy run over the whole data set")
	}
	if file == tree.VerifyPerformance {
		a.checkScores(name, all)
	}
	if config, err := audit.ConfigOf(a.checker.rules, a.test, a.model); err == nil {
		a.checkBounds(name, all, config)
	}
}

func (a *auditFolder) checkBounds(name string, all map[string]printedNumber, config audit.Config) {
	if config.Threshold > 0 {
		a.requireMinNumber(name, all, "accuracy threshold", config.Threshold)
		a.requireMinNumber(name, all, "accuracy score", config.Threshold)
	}
	if config.MaxTokens > 0 {
		for _, key := range []string{"mean output tokens", "min threshold"} {
			a.requireMinNumber(name, all, key, config.MinTokens)
		}
		for _, key := range []string{"mean output tokens", "max threshold"} {
			a.requireMaxNumber(name, all, key, config.MaxTokens)
		}
	}
}

// roundedNumbers lists the numbers that the official scripts round only for printing.
var roundedNumbers = []string{"mean output tokens"}

// roundingSlack returns the maximum rounding error of a printed number.
func (p printedNumber) roundingSlack(key string) float64 {
	if slices.Contains(roundedNumbers, key) {
		return p.lastUnit / 2
	}
	return 0
}

func (a *auditFolder) requireMinNumber(name string, all map[string]printedNumber, key string, want float64) {
	if p, ok := all[key]; ok && !(p.value+p.roundingSlack(key) >= want) {
		a.addContradiction(name, key+" "+quoteValue(p.value), "at least "+quoteValue(want))
	}
}

func (a *auditFolder) requireMaxNumber(name string, all map[string]printedNumber, key string, want float64) {
	if p, ok := all[key]; ok && !(p.value-p.roundingSlack(key) <= want) {
		a.addContradiction(name, key+" "+quoteValue(p.value), "at most "+quoteValue(want))
	}
}

func (a *auditFolder) addContradiction(name, found, expected string) {
	a.addReject(a.rule, name, "the verdict says PASS, its numbers do not", found, expected,
		"verify the audit again: harness audit verify "+a.test)
}

// checkScores checks that the scores of a verdict equal those in the logs.
func (a *auditFolder) checkScores(name string, all map[string]printedNumber) {
	for _, c := range []struct {
		score   string
		log     *runLog
		further []*runLog // further runs with a possible score
	}{
		{"reference score", a.performance, a.furtherPerformance}, {"test score", a.run, nil},
		{strings.ToLower(a.test) + " score", a.run, nil}, // of TEST04's two runs
	} {
		score, said := all[c.score]
		if c.log == nil || !said || slices.ContainsFunc(append(c.further, c.log), func(l *runLog) bool {
			return a.canBeScoreOf(l, score)
		}) {
			continue
		}
		is, _, _ := audit.ScoreOf(a.checker.rules, c.log.detail)
		a.addReject(a.rule, name, whatOtherLogs, c.score+" "+quoteValue(score.value), quoteValue(is)+" or its inverse",
			"verify the audit again: harness audit verify "+a.test).Other = c.log.logPath()
	}
}

// canBeScoreOf reports whether a score can belong to a run. It returns true if the run has no score.
func (a *auditFolder) canBeScoreOf(l *runLog, score printedNumber) bool {
	is, _, ok := audit.ScoreOf(a.checker.rules, l.detail)
	return !ok || score.canShow(is) || score.canShow(1e9/is) || a.isScheduledRate(l, score)
}

// isScheduledRate reports whether a score is the scheduled rate, which some verdicts compare.
func (a *auditFolder) isScheduledRate(l *runLog, score printedNumber) bool {
	is, ok := l.numberOf("result_scheduled_samples_per_sec")
	return ok && score.canShow(is)
}
