package check

import (
	"fmt"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// checkSettings holds the settings of a run to those that the round gives to it.
func (r *resultFolder) checkSettings(l *runLog) {
	r.checkSampling(l)
	if !r.known {
		return
	}
	want, ok := r.rulesSettings(l.scenario())
	if !ok {
		return
	}
	r.checkPercentile(l, want)
	r.checkSamplesPerQuery(l, want)
	r.checkEqualIssue(l, want)
}

// checkEqualIssue wants every sample as often as the others where the rules do.
func (r *resultFolder) checkEqualIssue(l *runLog, want loadgen.TestSettings) {
	on, has := l.flag("effective_sample_concatenate_permutation")
	if want.SampleConcatenatePermutation && has && !on && r.closed() {
		r.reject(ruleSettings, l.path(), whatUnequalIssue,
			l.value("effective_sample_concatenate_permutation"), "true",
			"leave sample_concatenate_permutation to the rules, and run again")
	}
	if on && !want.SampleConcatenatePermutation && r.closed() {
		r.warn(ruleSettings, l.path(), whatEqualIssue,
			l.value("effective_sample_concatenate_permutation"), "false",
			"leave sample_concatenate_permutation to the rules")
	}
}

// checkSampling wants no choice of samples in the main run; those of audits are checkAuditSettings'.
func (r *resultFolder) checkSampling(l *runLog) {
	if l.audit() {
		return
	}
	for _, key := range []string{"effective_performance_issue_unique", "effective_performance_issue_same"} {
		if on, _ := l.flag(key); on {
			r.reject(ruleSettings, l.path(), "the samples are chosen as in an audit", l.value(key), "false",
				"leave it to the rules, and run again")
		}
	}
	for _, key := range []string{"effective_accuracy_log_sampling_target", "effective_accuracy_log_probability"} {
		if n, _ := l.number(key); n > 0 {
			r.warn(ruleSettings, l.path(), "outputs were logged in a performance run", l.value(key), "0",
				"leave it to the rules: it makes the run slower")
		}
	}
	for _, key := range []string{"effective_max_duration_ms", "effective_max_query_count"} {
		if n, _ := l.number(key); n > 0 {
			r.add(Note, ruleSettings, l.path(), "the run has an upper bound", l.value(key), "0",
				"nothing: LoadGen logs an error where it ends a run")
		}
	}
	if on, _ := l.flag("effective_print_timestamps"); on {
		r.warn(ruleSettings, l.path(), "time stamps were printed", l.value("effective_print_timestamps"), "false",
			"leave it to the rules: it makes the run slower")
	}
}

func (r *resultFolder) checkPercentile(l *runLog, want loadgen.TestSettings) {
	percentile := map[string]float64{"SingleStream": want.SingleStreamTargetLatencyPercentile,
		"MultiStream": want.MultiStreamTargetLatencyPercentile,
		"Server":      want.ServerTargetLatencyPercentile}[l.scenario()]
	got, ok := l.number("effective_target_latency_percentile")
	if percentile > 0 && (!ok || math.Abs(got-percentile) > 1e-9) {
		r.reject(ruleSettings, l.path(), "the percentile of latencies is not the round's",
			l.value("effective_target_latency_percentile"), fmt.Sprint(percentile),
			"leave it to the rules, and run again")
	}
}

func (r *resultFolder) checkSamplesPerQuery(l *runLog, want loadgen.TestSettings) {
	n := map[string]uint64{"SingleStream": 1, "Server": 1, "MultiStream": want.MultiStreamSamplesPerQuery}[l.scenario()]
	got, ok := l.number("effective_samples_per_query")
	if n > 0 && (!ok || got != float64(n)) {
		r.reject(ruleSettings, l.path(), "a query has another number of samples",
			l.value("effective_samples_per_query"),
			strconv.FormatUint(n, 10), "leave it to the rules, and run again")
	}
}
