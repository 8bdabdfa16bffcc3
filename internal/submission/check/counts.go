package check

import "strconv"

// checkCounts checks the numbers of samples and queries.
func (r *resultFolder) checkCounts(l *runLog) {
	if !r.isKnown {
		return
	}
	r.requireMin(l, "effective_performance_sample_count", r.checker.rules.PerformanceSampleCount(r.model),
		"too few samples are loaded", "build the sample library with as many, and run again")
	if l.logScenario() != "Offline" {
		r.checkQueries(l)
		return
	}
	r.requireMin(l, "effective_min_query_count", min(1, r.checker.rules.MinQueries(r.model, "Offline")),
		"too few queries", "leave min_query_count to the rules, and run again")
	if r.isClosed() {
		r.requireMin(l, "effective_samples_per_query", r.checker.rules.OfflineSamples(r.model),
			"the Offline query has too few samples",
			"set target_qps so high that ten minutes of it are as many, and run again")
	}
}

// checkQueries checks the number of queries if the rules fix it in advance, without early stopping.
func (r *resultFolder) checkQueries(l *runLog) {
	if s, ok := r.rulesSettings(l.logScenario()); ok && s.NoEarlyStopping && r.isClosed() {
		r.requireMin(l, "effective_min_query_count", r.checker.rules.MinQueries(r.model, l.logScenario()), "too few queries",
			"leave min_query_count to the rules, and run again")
	}
}

func (r *resultFolder) requireMin(l *runLog, key string, want uint64, what, do string) {
	if got, ok := l.numberOf(key); want > 0 && (!ok || got < float64(want)) {
		r.addReject(ruleCounts, l.logPath(), what, l.quotedValue(key), "at least "+strconv.FormatUint(want, 10), do)
	}
}
