package loadgen

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// summaryOf is the summary log of r.
func summaryOf(r *Result) *mllog.Summary {
	s := &mllog.Summary{Warnings: uint64(len(r.Warnings)), Errors: uint64(len(r.Errors))}
	if r.Verdict == "" {
		return s
	}
	s.SUTName = r.SUTName
	s.Scenario = r.Effective.Scenario.String()
	s.Mode = r.Effective.Mode.String()
	s.Headline = r.kind().headline(r)
	s.Result = string(r.Verdict)
	s.Conditions = conditions(r)
	for _, f := range failings(r) {
		s.Recommendations = append(s.Recommendations, f.summary)
	}
	s.EarlyStopping = earlyStoppingFields(r)
	s.Stats = r.kind().statistics(r)
	s.Parameters = parameters(r)
	if r.Requested.SampleConcatenatePermutation {
		s.Notes = concatenateNote
	}
	return s
}

const concatenateNote = `WARNING: sample_concatenate_permutation was set to true. 
Generated samples per query might be different as the one in the setting.
Check the generated_samples_per_query line in the detailed log for the real
samples_per_query value
`

// streamHeadline is that of SingleStream and MultiStream.
func streamHeadline(r *Result) []mllog.Field {
	percentile := func(what string, d time.Duration) mllog.Field {
		return mllog.Field{
			Label: fmt.Sprintf("%.1fth %s (ns)", r.TargetPercentile.P*100, what), Value: strconv.FormatInt(d.Nanoseconds(), 10),
		}
	}
	fields := []mllog.Field{percentile("percentile latency", r.TargetPercentile.Latency)}
	if r.Tokens != nil {
		fields = append(fields, percentile("first token percentile latency", r.Tokens.TTFT.Target.Latency))
	}
	return fields
}

func earlyStoppingFields(r *Result) []mllog.Field {
	switch t := r.Tokens; {
	case r.Effective.Scenario == Offline, r.Effective.NoEarlyStopping:
		return nil
	case t != nil:
		return []mllog.Field{
			{Label: "TTFT Early Stopping Result", Value: t.TTFT.EarlyStopping.Text},
			{Label: "TPOT Early Stopping Result", Value: t.TPOT.EarlyStopping.Text},
		}
	}
	return []mllog.Field{{Label: "Early Stopping Result", Value: r.EarlyStopping.Text}}
}

func conditions(r *Result) []mllog.Field {
	var fields []mllog.Field
	add := func(label string, met bool) {
		value := "NO"
		if met {
			value = "Yes"
		}
		fields = append(fields, mllog.Field{Label: label, Value: value})
	}
	if r.limited() {
		add("Performance constraints satisfied", r.PerformanceConstraintsMet)
	}
	add("Min duration satisfied", r.MinDurationMet)
	add("Min queries satisfied", r.MinQueriesMet)
	if !r.Effective.NoEarlyStopping {
		add("Early stopping satisfied", r.EarlyStoppingMet)
	}
	return fields
}

func latencyFields(l LatencySummary) []mllog.Field {
	return summaryFields(l, "latency (ns)", "latency (ns)")
}

func parameters(r *Result) []mllog.Field {
	var fields []mllog.Field
	add := func(label, value string) { fields = append(fields, mllog.Field{Label: label, Value: value}) }
	count := func(label string, v uint64) { add(label, strconv.FormatUint(v, 10)) }
	flag := func(label string, on bool) {
		value := "0"
		if on {
			value = "1"
		}
		add(label, value)
	}
	e, s := r.Effective, r.Requested
	count("samples_per_query", e.SamplesPerQuery)
	add("target_qps", double(e.TargetQPS))
	if s.UseTokenLatencies {
		add("ttft_latency (ns)", strconv.FormatInt(s.ServerTTFTLatency.Nanoseconds(), 10))
		add("tpot_latency (ns)", strconv.FormatInt(s.ServerTPOTLatency.Nanoseconds(), 10))
	} else {
		add("target_latency (ns)", strconv.FormatInt(e.TargetLatency.Nanoseconds(), 10))
	}
	count("max_async_queries", e.MaxAsyncQueries)
	count("min_duration (ms)", milliseconds(e.MinDuration))
	count("max_duration (ms)", milliseconds(e.MaxDuration))
	count("min_query_count", e.MinQueryCount)
	count("max_query_count", e.MaxQueryCount)
	count("qsl_rng_seed", e.QSLRNGSeed)
	count("sample_index_rng_seed", e.SampleIndexRNGSeed)
	count("schedule_rng_seed", e.ScheduleRNGSeed)
	count("accuracy_log_rng_seed", e.AccuracyLogRNGSeed)
	add("accuracy_log_probability", double(s.AccuracyLogProbability))
	count("accuracy_log_sampling_target", s.AccuracyLogSamplingTarget)
	flag("print_timestamps", s.PrintTimestamps)
	flag("performance_issue_unique", s.PerformanceIssueUnique)
	flag("performance_issue_same", s.PerformanceIssueSame)
	count("performance_issue_same_index", s.PerformanceIssueSameIndex)
	count("performance_sample_count", e.PerformanceSampleCount)
	count("accuracy_sample_count", e.AccuracySampleCount)
	return fields
}

// fixed2 is v with two decimals, as a C++ stream prints it.
func fixed2(v float64) string {
	if math.IsNaN(v) {
		return double(v)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// double is v as a C++ stream prints it.
func double(v float64) string { return string(mllog.AppendDouble(nil, v)) }
