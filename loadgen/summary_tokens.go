package loadgen

import (
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// tokenHeadline is the second line of the headline in token runs, and the one of inferred tokens.
func tokenHeadline(r *Result) []mllog.Field {
	var fields []mllog.Field
	add := func(label, value string) { fields = append(fields, mllog.Field{Label: label, Value: value}) }
	scenario := r.Effective.Scenario
	if t := r.Tokens; t != nil {
		switch scenario {
		case Server:
			add("Completed tokens per second", fixed2(t.PerSec))
		case Offline:
			add("Tokens per second", double(t.PerSec))
		default:
			add(fmt.Sprintf("%.1fth first token percentile latency (ns)", r.TargetPercentile.P*100),
				strconv.FormatInt(t.TTFT.Target.Latency.Nanoseconds(), 10))
		}
	}
	if r.Requested.InferTokenLatencies {
		switch scenario {
		case Server:
			add("Completed tokens per second (inferred)", fixed2(r.InferredTokensPerSec))
		case Offline:
			add("Tokens per second (inferred)", double(r.InferredTokensPerSec))
		}
	}
	return fields
}

// tokenStatistics are the blocks of a token run; Offline's is empty.
func tokenStatistics(r *Result) [][]mllog.Field {
	t := r.Tokens
	if t == nil {
		return nil
	}
	var rates []mllog.Field
	switch r.Effective.Scenario {
	case Offline:
		return [][]mllog.Field{nil}
	case SingleStream:
		rates = []mllog.Field{
			{Label: "TPS w/ loadgen overhead", Value: fixed2(t.WithOverhead)},
			{Label: "TPS w/o loadgen overhead", Value: fixed2(t.WithoutOverhead)},
		}
	case Server:
		rates = []mllog.Field{{Label: "Completed tokens per second", Value: fixed2(t.PerSec)}}
	}
	first := summaryFields(t.TTFT.Latency, "First Token latency (ns)", "first token latency (ns)")
	output := summaryFields(t.TPOT.Latency, "Time per Output Token (ns)", "time to output token (ns)")
	return [][]mllog.Field{append(rates, first...), output}
}

// summaryFields are the lines of l: its extremes under one name, its percentiles under another.
func summaryFields(l LatencySummary, name, percentile string) []mllog.Field {
	ns := func(label string, v int64) mllog.Field {
		return mllog.Field{Label: label, Value: strconv.FormatInt(v, 10)}
	}
	fields := []mllog.Field{
		ns("Min "+name, l.Min.Nanoseconds()), ns("Max "+name, l.Max.Nanoseconds()), ns("Mean "+name, l.Mean.Nanoseconds()),
	}
	for _, p := range l.Percentiles {
		fields = append(fields, ns(fixed2(p.P*100)+" percentile "+percentile, p.Latency.Nanoseconds()))
	}
	return fields
}
