package settings

import (
	"fmt"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// rule is one value that the rules fix. What is not listed (target_qps, expected latencies, issue threads, coalescing)
// is the submitter's to choose.
type rule struct {
	key, unit string
	bound     bound
	value     func(*loadgen.TestSettings) float64
}

// bound says which changes keep the rules.
type bound int

const (
	exactly bound = iota
	atLeast       // a larger value is stricter
	atMost        // a smaller value is stricter
)

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Seeds above 2^53 lose their last bits as float64; LoadGen reduces them modulo 2^32, which is what counts.
func seed(v uint64) float64 { return float64(uint32(v)) }

// rules lists what the rules fix for a scenario.
func rules(s loadgen.Scenario) []rule {
	common := []rule{
		{"min_duration", "ms", atLeast, func(t *loadgen.TestSettings) float64 { return millis(t.MinDuration) }},
		{"min_query_count", "", atLeast, func(t *loadgen.TestSettings) float64 { return float64(t.MinQueryCount) }},
		{"max_duration", "ms", exactly, func(t *loadgen.TestSettings) float64 { return millis(t.MaxDuration) }},
		{"max_query_count", "", exactly, func(t *loadgen.TestSettings) float64 { return float64(t.MaxQueryCount) }},
		{"qsl_rng_seed", "", exactly, func(t *loadgen.TestSettings) float64 { return seed(t.QSLRNGSeed) }},
		{"sample_index_rng_seed", "", exactly, func(t *loadgen.TestSettings) float64 { return seed(t.SampleIndexRNGSeed) }},
		{"schedule_rng_seed", "", exactly, func(t *loadgen.TestSettings) float64 { return seed(t.ScheduleRNGSeed) }},
		{"performance_sample_count_override", "", atLeast, func(t *loadgen.TestSettings) float64 { return float64(t.PerformanceSampleCountOverride) }},
		{"accuracy_sample_count_override", "", exactly, func(t *loadgen.TestSettings) float64 { return float64(t.AccuracySampleCountOverride) }},
		{"performance_issue_unique", "", exactly, func(t *loadgen.TestSettings) float64 { return truth(t.PerformanceIssueUnique) }},
		{"performance_issue_same", "", exactly, func(t *loadgen.TestSettings) float64 { return truth(t.PerformanceIssueSame) }},
		{"no_early_stopping", "", exactly, func(t *loadgen.TestSettings) float64 { return truth(t.NoEarlyStopping) }},
		{"sample_concatenate_permutation", "", exactly, func(t *loadgen.TestSettings) float64 { return truth(t.SampleConcatenatePermutation) }},
	}
	switch s {
	case loadgen.SingleStream:
		return append(common,
			rule{"target_latency_percentile", "%", exactly, func(t *loadgen.TestSettings) float64 { return 100 * t.SingleStreamTargetLatencyPercentile }})
	case loadgen.MultiStream:
		return append(common,
			rule{"target_latency_percentile", "%", exactly, func(t *loadgen.TestSettings) float64 { return 100 * t.MultiStreamTargetLatencyPercentile }},
			rule{"samples_per_query", "", exactly, fixedSamplesPerQuery},
			rule{"arrival_interval", "ms", exactly, func(t *loadgen.TestSettings) float64 { return millis(t.MultiStreamArrivalInterval) }},
			rule{"count_dropped_queries", "", exactly, func(t *loadgen.TestSettings) float64 { return truth(t.MultiStreamCountDropped) }})
	case loadgen.Server:
		return append(common,
			rule{"target_latency_percentile", "%", exactly, func(t *loadgen.TestSettings) float64 { return 100 * t.ServerTargetLatencyPercentile }},
			rule{"target_latency", "ms", atMost, func(t *loadgen.TestSettings) float64 { return millis(t.ServerTargetLatency) }},
			rule{"ttft_latency", "ms", atMost, func(t *loadgen.TestSettings) float64 { return millis(t.ServerTTFTLatency) }},
			rule{"tpot_latency", "ms", atMost, func(t *loadgen.TestSettings) float64 { return millis(t.ServerTPOTLatency) }})
	}
	return common
}

// fixedSamplesPerQuery is 0 at an arrival interval: the number of samples per query is then the result.
func fixedSamplesPerQuery(t *loadgen.TestSettings) float64 {
	if t.MultiStreamArrivalInterval > 0 {
		return 0
	}
	return float64(t.MultiStreamSamplesPerQuery)
}

// deviations lists the values that leave the rules.
func deviations(official, s mlconf.Settings) []string {
	var out []string
	for _, r := range rules(s.Scenario) {
		want, got := r.value(&official.TestSettings), r.value(&s.TestSettings)
		if got == want || r.bound == atLeast && got > want || r.bound == atMost && got < want {
			continue
		}
		out = append(out, fmt.Sprintf("%s = %s, rules %s", r.key, withUnit(got, r.unit), withUnit(want, r.unit)))
	}
	return out
}

func withUnit(v float64, unit string) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if unit == "" {
		return text
	}
	return text + " " + unit
}
