package check

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// checkValidity requires a run that LoadGen calls valid.
func (r *resultFolder) checkValidity(l *runLog) {
	const do = "run again until LoadGen calls the run VALID; the summary says what to change"
	if l.textOf("result_validity") != "VALID" {
		r.addReject(ruleValidity, l.logPath(), "the run is not valid", l.quotedValue("result_validity"), "VALID", do)
	}
	for _, key := range []string{"result_min_duration_met", "result_min_queries_met"} {
		if met, ok := l.flagOf(key); !ok || !met {
			r.addReject(ruleValidity, l.logPath(), "a condition is not met", l.quotedValue(key), "true", do)
		}
	}
	if met, ok := l.flagOf("result_perf_constraints_met"); ok && !met || !ok && l.logScenario() == "Server" {
		r.addReject(ruleValidity, l.logPath(), "a condition is not met", l.quotedValue("result_perf_constraints_met"),
			"true", do)
	}
	r.checkSummary(l)
}

// checkSummary checks that the summary belongs to the same run.
func (r *resultFolder) checkSummary(l *runLog) {
	if l.summary == nil {
		return
	}
	disagree := func(found, said string) {
		r.addReject(ruleValidity, l.logPath(), "summary and detail log disagree", found, said+", as in the summary",
			"file the logs of one run as LoadGen wrote them").Other = l.summaryPath()
	}
	for key, said := range map[string]string{"result_validity": l.summary.Result,
		"effective_scenario":  l.summary.Scenario,
		"effective_test_mode": l.summary.Mode} {
		if said = mllog.Word(said); l.textOf(key) != said {
			disagree(l.quotedValue(key), said)
		}
	}
	if l.summary.Errors > 0 && l.detail.NumErrors == 0 {
		disagree("no error", fmt.Sprintf("%d errors", l.summary.Errors))
	}
}

// checkEarlyStopping checks that the run had enough queries for its percentile.
func (r *resultFolder) checkEarlyStopping(l *runLog) {
	s, ok := r.rulesSettings(l.logScenario())
	if l.logScenario() == "Offline" || ok && s.NoEarlyStopping {
		return
	}
	if met, ok := l.flagOf("early_stopping_met"); !ok || !met {
		r.addReject(ruleValidity, l.logPath(), "early stopping is not met", l.quotedValue("early_stopping_met"), "true",
			"let it run longer, or in Server at a lower rate: the summary says how many queries are needed")
	}
}
