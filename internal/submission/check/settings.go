package check

import (
	"fmt"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// checkSettings checks the settings of a run against the round's.
func (r *resultFolder) checkSettings(l *runLog) {
	r.checkSampling(l)
	if !r.isKnown {
		return
	}
	want, ok := r.rulesSettings(l.logScenario())
	if !ok {
		return
	}
	r.checkPercentile(l, want)
	r.checkSamplesPerQuery(l, want)
	r.checkEqualIssue(l, want)
}

// checkEqualIssue checks that each sample is issued equally often if the rules require it.
func (r *resultFolder) checkEqualIssue(l *runLog, want loadgen.TestSettings) {
	on, has := l.flagOf("effective_sample_concatenate_permutation")
	if want.SampleConcatenatePermutation && has && !on && r.isClosed() {
		r.addReject(ruleSettings, l.logPath(), whatUnequalIssue,
			l.quotedValue("effective_sample_concatenate_permutation"), "true",
			"leave sample_concatenate_permutation to the rules, and run again")
	}
	if on && !want.SampleConcatenatePermutation && r.isClosed() {
		r.addWarning(ruleSettings, l.logPath(), whatEqualIssue,
			l.quotedValue("effective_sample_concatenate_permutation"), "false",
			"leave sample_concatenate_permutation to the rules")
	}
}

// checkSampling checks that the main run does not select samples. checkAuditSettings checks audits.
func (r *resultFolder) checkSampling(l *runLog) {
	if l.isAudit() {
		return
	}
	for _, key := range []string{"effective_performance_issue_unique", "effective_performance_issue_same"} {
		if on, _ := l.flagOf(key); on {
			r.addReject(ruleSettings, l.logPath(), "the samples are chosen as in an audit", l.quotedValue(key), "false",
				"leave it to the rules, and run again")
		}
	}
	for _, key := range []string{"effective_accuracy_log_sampling_target", "effective_accuracy_log_probability"} {
		if n, _ := l.numberOf(key); n > 0 {
			r.addWarning(ruleSettings, l.logPath(), "outputs were logged in a performance run", l.quotedValue(key), "0",
				"leave it to the rules: it makes the run slower")
		}
	}
	for _, key := range []string{"effective_max_duration_ms", "effective_max_query_count"} {
		if n, _ := l.numberOf(key); n > 0 {
			r.addFinding(Note, ruleSettings, l.logPath(), "the run has an upper bound", l.quotedValue(key), "0",
				"nothing: LoadGen logs an error where it ends a run")
		}
	}
	if on, _ := l.flagOf("effective_print_timestamps"); on {
		r.addWarning(ruleSettings, l.logPath(), "time stamps were printed", l.quotedValue("effective_print_timestamps"),
			"false",
			"leave it to the rules: it makes the run slower")
	}
}

func (r *resultFolder) checkPercentile(l *runLog, want loadgen.TestSettings) {
	percentile := map[string]float64{"SingleStream": want.SingleStreamTargetLatencyPercentile,
		"MultiStream": want.MultiStreamTargetLatencyPercentile,
		"Server":      want.ServerTargetLatencyPercentile}[l.logScenario()]
	got, ok := l.numberOf("effective_target_latency_percentile")
	if percentile > 0 && (!ok || math.Abs(got-percentile) > 1e-9) {
		r.addReject(ruleSettings, l.logPath(), "the percentile of latencies is not the round's",
			l.quotedValue("effective_target_latency_percentile"), fmt.Sprint(percentile),
			"leave it to the rules, and run again")
	}
}

func (r *resultFolder) checkSamplesPerQuery(l *runLog, want loadgen.TestSettings) {
	n := map[string]uint64{"SingleStream": 1, "Server": 1, "MultiStream": want.MultiStreamSamplesPerQuery}[l.logScenario()]
	got, ok := l.numberOf("effective_samples_per_query")
	if n > 0 && (!ok || got != float64(n)) {
		r.addReject(ruleSettings, l.logPath(), "a query has another number of samples",
			l.quotedValue("effective_samples_per_query"),
			strconv.FormatUint(n, 10), "leave it to the rules, and run again")
	}
}
