package scrape

import (
	"maps"
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// chartLines lists the lines over time, in order. A line shows a gauge's value, a counter's rate or a histogram's mean
// since the previous reading, or the ratio of two counters' increases.
var chartLines = []struct {
	name, of    string // denominator counter of a ratio; empty: none
	title, unit string
	scale       float64
}{
	{name: Running, title: "running at the server", unit: "requests", scale: 1},
	{name: Waiting, title: "waiting at the server", unit: "requests", scale: 1},
	{name: CacheUse, title: "KV cache in use", unit: "%", scale: 100},
	{name: CacheHitRate, title: "hits in the prefix cache", unit: "%", scale: 100},
	{name: CacheHits, of: CacheQueries, title: "hits in the prefix cache", unit: "%", scale: 100},
	{name: AcceptedTokens, of: DraftTokens, title: "drafted tokens accepted", unit: "%", scale: 100},
	{name: PromptTokens, title: "of prompts", unit: "tokens/s", scale: 1},
	{name: GeneratedTokens, title: "of answers", unit: "tokens/s", scale: 1},
	{name: Preemptions, title: "preemptions", unit: "preemptions/s", scale: 1},
	{name: QueueTime, title: "waiting", unit: "ns", scale: 1e9},
	{name: TTFT, title: "to the first token", unit: "ns", scale: 1e9},
	{name: TPOT, title: "per token", unit: "ns", scale: 1e9},
	{name: E2E, title: "whole request", unit: "ns", scale: 1e9},
	{name: Power, title: "accelerators", unit: "W", scale: 1},
}

// metricValues contains the values of a reading by the names of this package.
type metricValues struct {
	at     int64
	gauges map[string]float64
	// counters, and the counts and the sums in seconds of histograms
	counters, counts, sums map[string]float64
}

// newValues converts a reading. If several families map to one name, it uses the alphabetically last one.
func newValues(r pageReading) metricValues {
	h := metricValues{r.at, map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}}
	for _, family := range slices.Sorted(maps.Keys(r.families)) {
		f := r.families[family]
		name, known := knownName(family)
		if !known {
			continue
		}
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			h.counters[name] = sumLabels(f)
		case dto.MetricType_GAUGE, dto.MetricType_UNTYPED:
			h.gauges[name] = gaugeValue(name, f)
		case dto.MetricType_HISTOGRAM:
			for _, m := range f.GetMetric() {
				h.counts[name] += float64(m.GetHistogram().GetSampleCount())
				h.sums[name] += m.GetHistogram().GetSampleSum()
			}
		}
	}
	return h
}

// lines returns the lines over time of readings in order of time. It omits lines that are always 0.
func linesOverTime(all []pageReading) (told []series.CollectedSeries) {
	held := make([]metricValues, len(all))
	for i, r := range all {
		held[i] = newValues(r)
	}
	taken := map[string]bool{}
	for _, d := range chartLines {
		t := series.CollectedSeries{Name: d.name, Title: d.title, Unit: d.unit}
		for i := range held {
			if v, ok := lineValue(held, i, d.name, d.of); ok {
				t.T, t.V = append(t.T, held[i].at), append(t.V, v*d.scale)
			}
		}
		if t = t.Thinned(); len(t.V) == 0 || taken[d.title+d.unit] || slices.Max(t.V) == 0 && slices.Min(t.V) == 0 {
			continue
		}
		taken[d.title+d.unit] = true
		told = append(told, t)
	}
	return told
}

// between returns the value of a line at reading i. ok is false if there is no value: at the first reading of a
// counter, after a decrease of a counter because the server restarted, and if the denominator of a ratio or mean did
// not increase.
func lineValue(values []metricValues, i int, name, denominator string) (v float64, ok bool) {
	now := values[i]
	if v, ok = now.gauges[name]; ok && denominator == "" {
		return v, isFinite(v)
	}
	if i == 0 {
		return 0, false
	}
	before := values[i-1]
	more := func(from, to map[string]float64, name string) (float64, bool) {
		is, ok := to[name]
		return is - from[name], ok && is >= from[name] && isFinite(is-from[name])
	}
	if count, ok := more(before.counts, now.counts, name); ok {
		total, fine := more(before.sums, now.sums, name)
		return total / count, fine && count > 0
	}
	added, ok := more(before.counters, now.counters, name)
	seconds := float64(now.at-before.at) / 1e9
	if denominator != "" {
		whole, fine := more(before.counters, now.counters, denominator)
		return added / whole, ok && fine && whole > 0
	}
	return added / seconds, ok && seconds > 0
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// gaugeValue returns a gauge's value over all labels: the sum, or the mean for shares of several engines behind one
// address.
func gaugeValue(name string, f *dto.MetricFamily) float64 {
	if name == CacheUse || name == CacheHitRate {
		return sumLabels(f) / max(1, float64(len(f.GetMetric())))
	}
	return sumLabels(f)
}
