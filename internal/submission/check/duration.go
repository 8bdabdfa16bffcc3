package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// minDuration returns the minimum duration of a performance run. ok is false if the rules do not define one.
func (r *resultFolder) minDuration(scenario string) (least time.Duration, ok bool) {
	s, ok := r.rulesSettings(scenario)
	return s.MinDuration, ok && s.MinDuration > 0
}

// spellDuration returns a duration in words.
func spellDuration(d time.Duration) string {
	if d == 10*time.Minute {
		return "ten minutes"
	}
	return figure.Plural(int(d.Minutes()), "minute")
}

// checkDuration checks the duration of a run in its settings and in its log.
func (r *resultFolder) checkDuration(l *runLog) {
	if slices.Contains([]string{"e2e-rag-qna", "e2e-rag-db"}, r.model) {
		return // a single pass over the data set, without a minimum
	}
	minDuration, ok := r.minDuration(l.logScenario())
	if !ok {
		return // the check of scenarios reports it
	}
	if got, ok := l.numberOf("effective_min_duration_ms"); !ok || got < float64(minDuration.Milliseconds()) {
		r.addReject(ruleDuration, l.logPath(), "the run was not set to last "+spellDuration(minDuration),
			l.quotedValue("effective_min_duration_ms"),
			fmt.Sprintf("at least %d", minDuration.Milliseconds()), "leave min_duration to the rules, and run again")
		return
	}
	want := fmt.Sprintf("at least %v", minDuration)
	if ns, ok := l.numberOf("generated_query_duration"); ok && l.logScenario() != "Offline" && ns < float64(minDuration) {
		r.addWarning(ruleDuration, l.logPath(), "the queries were made for a shorter time",
			l.quotedValue("generated_query_duration"), want,
			"see whether the log is whole, and run again")
	}
	if took, ok := l.runDuration(); ok && took < minDuration-time.Second {
		r.addWarning(ruleDuration, l.logPath(), "the run took less than "+spellDuration(minDuration), took.String(), want,
			"see whether the log is whole, and run again")
	}
}

// runDuration returns the time between the first and the last event of the run in the log.
func (l *runLog) runDuration() (time.Duration, bool) {
	const form = "01-02-2006 15:04:05.000"
	begin, err := time.Parse(form, l.textOf("power_begin"))
	end, err2 := time.Parse(form, l.textOf("power_end"))
	return end.Sub(begin), err == nil && err2 == nil
}
