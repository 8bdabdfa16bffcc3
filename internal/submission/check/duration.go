package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// minDuration is how long a performance run of a scenario takes at least; ok is false where the rules do not say it.
func (r *resultFolder) minDuration(scenario string) (least time.Duration, ok bool) {
	s, ok := r.rulesSettings(scenario)
	return s.MinDuration, ok && s.MinDuration > 0
}

// spelled is a duration in words.
func spelled(d time.Duration) string {
	if d == 10*time.Minute {
		return "ten minutes"
	}
	return figure.Plural(int(d.Minutes()), "minute")
}

// checkDuration wants runs as long as the round asks for, by their settings and by what they say of themselves.
func (r *resultFolder) checkDuration(l *runLog) {
	if slices.Contains([]string{"e2e-rag-qna", "e2e-rag-db"}, r.model) {
		return // one pass over the data set, however long
	}
	minDuration, ok := r.minDuration(l.scenario())
	if !ok {
		return // told by the scenario
	}
	if got, ok := l.number("effective_min_duration_ms"); !ok || got < float64(minDuration.Milliseconds()) {
		r.reject(ruleDuration, l.path(), "the run was not set to last "+spelled(minDuration),
			l.value("effective_min_duration_ms"),
			fmt.Sprintf("at least %d", minDuration.Milliseconds()), "leave min_duration to the rules, and run again")
		return
	}
	want := fmt.Sprintf("at least %v", minDuration)
	if ns, ok := l.number("generated_query_duration"); ok && l.scenario() != "Offline" && ns < float64(minDuration) {
		r.warn(ruleDuration, l.path(), "the queries were made for a shorter time",
			l.value("generated_query_duration"), want,
			"see whether the log is whole, and run again")
	}
	if took, ok := l.took(); ok && took < minDuration-time.Second {
		r.warn(ruleDuration, l.path(), "the run took less than "+spelled(minDuration), took.String(), want,
			"see whether the log is whole, and run again")
	}
}

// took is the time between the log's first and last moment of the run.
func (l *runLog) took() (time.Duration, bool) {
	const form = "01-02-2006 15:04:05.000"
	begin, err := time.Parse(form, l.word("power_begin"))
	end, err2 := time.Parse(form, l.word("power_end"))
	return end.Sub(begin), err == nil && err2 == nil
}
