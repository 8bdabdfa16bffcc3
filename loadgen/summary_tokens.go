package loadgen

import (
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// statistics returns the blocks of a token run. The first block begins with the scenario's rates.
func (t *TokenResult) statistics(rates ...mllog.Field) [][]mllog.Field {
	first := summaryFields(t.TTFT.Latency, "First Token latency (ns)", "first token latency (ns)")
	output := summaryFields(t.TPOT.Latency, "Time per Output Token (ns)", "time to output token (ns)")
	return [][]mllog.Field{append(rates, first...), output}
}

// summaryFields returns the lines of l: its extremes under one name, its percentiles under another.
func summaryFields(l LatencySummary, name, percentile string) []mllog.Field {
	ns := func(label string, v int64) mllog.Field {
		return mllog.Field{Label: label, Value: strconv.FormatInt(v, 10)}
	}
	fields := []mllog.Field{
		ns("Min "+name, l.Min.Nanoseconds()), ns("Max "+name, l.Max.Nanoseconds()), ns("Mean "+name, l.Mean.Nanoseconds()),
	}
	for _, p := range l.Percentiles {
		fields = append(fields, ns(twoDecimals(p.P*100)+" percentile "+percentile, p.Latency.Nanoseconds()))
	}
	return fields
}
