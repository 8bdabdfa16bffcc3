package loadgen

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// summaryOf returns the summary log of r.
func summaryOf(r *Result) *mllog.Summary {
	s := &mllog.Summary{Warnings: uint64(len(r.Warnings)), Errors: uint64(len(r.Errors))}
	if r.Verdict == "" {
		return s
	}
	s.SUTName = r.SUTName
	s.Scenario = r.Effective.Scenario.String()
	s.Mode = r.Effective.Mode.String()
	s.Headline = r.kindOf().headline(r)
	s.Result = string(r.Verdict)
	s.Conditions = conditionFields(r)
	for _, f := range failedConditions(r) {
		s.Recommendations = append(s.Recommendations, f.summary)
	}
	s.EarlyStopping = earlyStoppingFields(r)
	s.Stats = r.kindOf().statistics(r)
	s.Parameters = summaryParameters(r)
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

// streamHeadline returns the headline of SingleStream and MultiStream.
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
	case r.kindOf().hasOneQuery(), r.Effective.NoEarlyStopping:
		return nil
	case t != nil:
		return []mllog.Field{
			{Label: "TTFT Early Stopping Result", Value: t.TTFT.EarlyStopping.Text},
			{Label: "TPOT Early Stopping Result", Value: t.TPOT.EarlyStopping.Text},
		}
	}
	return []mllog.Field{{Label: "Early Stopping Result", Value: r.EarlyStopping.Text}}
}

func conditionFields(r *Result) []mllog.Field {
	var fields []mllog.Field
	for _, c := range conditionsInLogs(r) {
		value := "NO"
		if *c.met(r) {
			value = "Yes"
		}
		fields = append(fields, mllog.Field{Label: c.label, Value: value})
	}
	return fields
}

func latencyFields(l LatencySummary) []mllog.Field {
	return summaryFields(l, "latency (ns)", "latency (ns)")
}

// summaryParameters returns the settings used by the run. It omits sample_concatenate_permutation, which is in the
// notes.
func summaryParameters(r *Result) []mllog.Field {
	e, s := r.Effective, r.Requested
	list := []mllog.Field{
		{Label: "samples_per_query", Value: parameterText(e.SamplesPerQuery)},
		{Label: "target_qps", Value: parameterText(e.TargetQPS)},
	}
	if s.UseTokenLatencies {
		list = append(list,
			mllog.Field{Label: "ttft_latency (ns)", Value: parameterText(s.ServerTTFTLatency.Nanoseconds())},
			mllog.Field{Label: "tpot_latency (ns)", Value: parameterText(s.ServerTPOTLatency.Nanoseconds())})
	} else {
		list = append(list, mllog.Field{Label: "target_latency (ns)", Value: parameterText(e.TargetLatency.Nanoseconds())})
	}
	list = append(list, mllog.Field{Label: "max_async_queries", Value: parameterText(e.MaxAsyncQueries)})
	for _, f := range fields {
		if f.isCommon() && f.Name != "SampleConcatenatePermutation" {
			list = append(list, mllog.Field{Label: f.logKeys.parameter, Value: parameterText(f.usedValue(&e, &s))})
		}
	}
	return list
}

// parameterText returns a logged value in the form of the summary.
func parameterText(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "1"
		}
		return "0"
	case float64:
		return doubleText(v)
	}
	return fmt.Sprint(v)
}

// twoDecimals formats v with two decimals like a C++ stream.
func twoDecimals(v float64) string {
	if math.IsNaN(v) {
		return doubleText(v)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// doubleText formats v like a C++ stream.
func doubleText(v float64) string { return string(mllog.AppendDouble(nil, v)) }
