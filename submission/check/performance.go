package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// checkPerformance holds a performance run to the rules, the main one and those audits that are as long as it.
func (r *resultFolder) checkPerformance(l *runLog) {
	if l == nil {
		return
	}
	r.checkErrors(l)
	r.checkLoadGen(l)
	r.checkMode(l, "PerformanceOnly")
	r.checkSeeds(l)
	r.checkNetworkSUT(l)
	r.checkSettings(l)
	r.checkCounts(l)
	r.checkDuration(l)
	r.checkValidity(l)
	r.checkEarlyStopping(l)
	r.checkLatency(l)
	r.checkTokens(l)
	r.checkTwice(l)
}

// checkMain is for the main performance run alone.
func (r *resultFolder) checkMain() {
	if r.perf == nil {
		return
	}
	r.checkInferred()
	r.checkMetric()
	if note := evidence.AuditNote(r.perf.detail); note != "" {
		r.reject(ruleSettings, r.perf.path(), whatAuditAsResult, note,
			"a run without audit.config",
			"file the performance run, or run again without an audit.config in the working folder")
	}
}

// checkMode wants the kind of run that the folder is for.
func (r *resultFolder) checkMode(l *runLog, want string) {
	if mode := l.word("effective_test_mode"); mode != want {
		r.reject(ruleSettings, l.path(), whatOtherMode, l.value("effective_test_mode"), want,
			"file the "+want+" run here")
	}
}

// rulesSettings are the settings that the round gives to a run of the model; ok is false for a scenario that LoadGen
// does not know.
func (r *resultFolder) rulesSettings(scenario string) (s loadgen.TestSettings, ok bool) {
	s = loadgen.TestSettings{}
	official := mlconf.Official{Of: r.checker.rules}
	_, err := official.FromConfig(&s, nil, r.checker.rules.LoadGenModel(r.model, r.scenario), scenario,
		mlconf.ConfRules)
	return s, err == nil
}

// mostErrors is how many errors of a log are told one by one.
const mostErrors = 3

// checkErrors wants a log without errors. The run of an audit may end at its max_query_count, but not where the
// official checker, or the audit's script, reads its log.
func (r *resultFolder) checkErrors(l *runLog) {
	all, remarks := l.detail.Errors, []mllog.DetailEntry(nil)
	if l.audit() && !tree.FilesOf(string(l.role)).Required {
		all, remarks = evidence.RunErrors(l.detail)
	}
	for _, e := range remarks {
		message, _ := e.Text()
		r.warn(ruleValidity, l.path(), "LoadGen ended the run when all its queries were issued", e.Key+": "+message,
			"no error", "set max_query_count to 0, or leave it as the audit.config has it")
	}
	all = slices.DeleteFunc(slices.Clone(all), func(e mllog.DetailEntry) bool {
		message, _ := e.Text()
		forgiven := r.checker.options.Skip.Uncommitted && strings.Contains(message, "built with uncommitted changes")
		if forgiven {
			r.warn(ruleLoadGen, l.path(), "LoadGen was built with changes", message, "", "forgiven by a flag: say why")
		}
		return forgiven
	})
	if n := len(all) + l.detail.NumErrors - len(l.detail.Errors); n > mostErrors && len(all) > 0 {
		r.reject(ruleValidity, l.path(), "LoadGen logged errors",
			fmt.Sprintf("%d entries are marked as errors, the first is %s", n, told(all[0])), "no error",
			"mend what they say, and run again")
		all = nil
	}
	for _, e := range all {
		r.reject(ruleValidity, l.path(), "LoadGen logged an error", told(e), "no error", "mend what it says, and run again")
	}
	if n, ok := l.number("num_errors"); ok && n > float64(l.detail.NumErrors) {
		r.reject(ruleValidity, l.path(), "LoadGen counted more errors than the log has", l.value("num_errors"),
			strconv.Itoa(l.detail.NumErrors), "mend what they say, and run again")
	}
}

// told is an entry as findings quote it.
func told(e mllog.DetailEntry) string {
	if message, is := e.Text(); is {
		return e.Key + ": " + message
	}
	return e.Key + ": " + shown(e.Value)
}
