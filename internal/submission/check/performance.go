package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// performanceRules lists the rules on the log of a performance run. They apply to the main run and to audits of the
// same length.
var performanceRules = []struct {
	check  func(r *resultFolder, l *runLog)
	result bool // applies to the run's result, not to its settings
}{
	{check: (*resultFolder).checkErrors},
	{check: (*resultFolder).checkLoadGen},
	{check: func(r *resultFolder, l *runLog) { r.checkMode(l, "PerformanceOnly") }},
	{check: (*resultFolder).checkSeeds},
	{check: (*resultFolder).checkNetworkSUT},
	{check: (*resultFolder).checkSettings},
	{check: (*resultFolder).checkCounts},
	{check: (*resultFolder).checkDuration},
	{check: (*resultFolder).checkValidity, result: true},
	{check: (*resultFolder).checkEarlyStopping, result: true},
	{check: (*resultFolder).checkLatency, result: true},
	{check: (*resultFolder).checkTokens, result: true},
	{check: (*resultFolder).checkTwice},
}

// checkPerformance applies performanceRules to a run.
func (r *resultFolder) checkPerformance(l *runLog) {
	if l == nil {
		return
	}
	for _, rule := range performanceRules {
		if !rule.result || l.hasResult() {
			rule.check(r, l)
		}
	}
}

// checkMain checks what applies only to the main performance run.
func (r *resultFolder) checkMain() {
	if r.performance == nil {
		return
	}
	r.checkInferred()
	if r.performance.hasResult() {
		r.checkMetric()
	}
	note := evidence.AuditNote(r.performance.detail)
	switch {
	case note != "" && !r.ranAsAudit(r.performance):
		r.addWarning(ruleSettings, r.performance.logPath(), "an audit.config was read, and changed no setting of an audit",
			note,
			"a run without audit.config", "remove it from the working folder")
	case note != "":
		r.addReject(ruleSettings, r.performance.logPath(), whatAuditAsResult, note,
			"a run without audit.config",
			"file the performance run, or run again without an audit.config in the working folder")
	}
}

// ranAsAudit reports whether a run had settings that only compliance tests use.
func (r *resultFolder) ranAsAudit(l *runLog) bool {
	unique, _ := l.flagOf("effective_performance_issue_unique")
	same, _ := l.flagOf("effective_performance_issue_same")
	logged, _ := l.numberOf("effective_accuracy_log_sampling_target")
	share, _ := l.numberOf("effective_accuracy_log_probability")
	seed, _ := l.detail.First("effective_qsl_rng_seed")
	qsl, _ := seed.Uint()
	return unique || same || logged > 0 || share > 0 || qsl != r.checker.rules.Seeds.QSL
}

// bothModes is LoadGen's mode that runs accuracy and performance in turn.
const bothModes = "SubmissionRun"

// checkMode checks the mode of a run.
func (r *resultFolder) checkMode(l *runLog, want string) {
	mode := l.textOf("effective_test_mode")
	if mode == bothModes {
		r.addFinding(Note, ruleSettings, l.logPath(), "the log is of an accuracy run and a performance run together", mode,
			want,
			"nothing, if it is meant so")
		return
	}
	if mode != want {
		r.addReject(ruleSettings, l.logPath(), whatOtherMode, l.quotedValue("effective_test_mode"), want,
			"file the "+want+" run here")
	}
}

// rulesSettings returns the round's settings for a run of the model. ok is false for a scenario that LoadGen does not
// know.
func (r *resultFolder) rulesSettings(scenario string) (s loadgen.TestSettings, ok bool) {
	s = loadgen.TestSettings{}
	official := mlconf.Official{Of: r.checker.rules}
	_, err := official.FromConfig(&s, nil, r.checker.rules.LoadGenModel(r.model, r.scenario), scenario,
		mlconf.ConfRules)
	return s, err == nil
}

// maxErrors is the maximum number of log errors that are reported one by one.
const maxErrors = 3

// checkErrors requires a log without errors. An audit's run may end at its max_query_count, unless the official checker
// or the audit's script reads the log.
func (r *resultFolder) checkErrors(l *runLog) {
	all, remarks := l.detail.Errors, []mllog.DetailEntry(nil)
	if l.isAudit() && !tree.FilesOf(string(l.role)).Required {
		all, remarks = evidence.RunErrors(l.detail)
	}
	if l.role == tree.CachingUnique || l.role == tree.CachingSame {
		all, remarks = evidence.SplitRanOut(all)
	}
	for _, e := range remarks {
		message, _ := e.Text()
		r.addFinding(r.remarkSeverity(l), ruleValidity, l.logPath(), "LoadGen ended the run when all its queries were issued",
			e.Key+": "+message, "no error", "set max_query_count to 0, or leave it as the audit.config has it")
	}
	all = slices.DeleteFunc(slices.Clone(all), func(e mllog.DetailEntry) bool {
		message, _ := e.Text()
		if r.checker.options.Skip.Uncommitted && strings.Contains(message, uncommittedText) {
			r.addWarning(ruleLoadGen, l.logPath(), "LoadGen was built with changes", message, "", "forgiven by a flag: say why")
			return true
		}
		return r.checker.features.Forgives(message)
	})
	if n := len(all) + l.detail.NumErrors - len(l.detail.Errors); n > maxErrors && len(all) > 0 {
		r.addReject(ruleValidity, l.logPath(), "LoadGen logged errors",
			fmt.Sprintf("%d entries are marked as errors, the first is %s", n, quoteEntry(all[0])), "no error",
			"mend what they say, and run again")
		all = nil
	}
	for _, e := range all {
		r.addReject(ruleValidity, l.logPath(), "LoadGen logged an error", quoteEntry(e), "no error",
			"mend what it says, and run again")
	}
	if n, ok := l.numberOf("num_errors"); ok && n > float64(l.detail.NumErrors) {
		r.addReject(ruleValidity, l.logPath(), "LoadGen counted more errors than the log has", l.quotedValue("num_errors"),
			strconv.Itoa(l.detail.NumErrors), "mend what they say, and run again")
	}
}

// remarkSeverity returns the severity of the remark that an audit's run ended when all queries were issued.
func (r *resultFolder) remarkSeverity(l *runLog) Severity {
	if l.role == tree.CachingUnique || l.role == tree.CachingSame {
		return Note
	}
	return Warn
}

// quoteEntry returns an entry in the form of findings.
func quoteEntry(e mllog.DetailEntry) string {
	if message, is := e.Text(); is {
		return e.Key + ": " + message
	}
	return e.Key + ": " + quoteValue(e.Value)
}
