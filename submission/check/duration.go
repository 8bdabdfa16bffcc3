package check

import (
	"fmt"
	"slices"
	"time"
)

// minDuration is how long a performance run takes at least.
const minDuration = 600 * time.Second

// checkDuration wants runs of ten minutes, by their settings and by what they say of themselves.
func (r *resultFolder) checkDuration(l *runLog) {
	if slices.Contains([]string{"e2e-rag-qna", "e2e-rag-db"}, r.model) {
		return // one pass over the data set, however long
	}
	if got, ok := l.number("effective_min_duration_ms"); !ok || got < float64(minDuration.Milliseconds()) {
		r.reject(ruleDuration, l.path(), "the run was not set to last ten minutes",
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
		r.warn(ruleDuration, l.path(), "the run took less than ten minutes", took.String(), want,
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
