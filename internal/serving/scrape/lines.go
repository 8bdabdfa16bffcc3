package scrape

import (
	"maps"
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// drawn are the lines over time that are made of what is told, in order: a gauge as it is, a counter or the mean of a
// histogram since the reading before, or the share of one counter in another.
var drawn = []struct {
	name, of    string // of: the counter that it is a share of
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

// heldAt is what a reading says by the names of package scrape.
type heldAt struct {
	at     int64
	gauges map[string]float64
	// counters, and of histograms the counts and the sums of seconds.
	counters, counts, sums map[string]float64
}

// heldIn reads a reading. Where several families are of one name, the last one by its own name is it.
func heldIn(r reading) heldAt {
	h := heldAt{r.at, map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}}
	for _, family := range slices.Sorted(maps.Keys(r.families)) {
		f := r.families[family]
		name, known := called(family)
		if !known {
			continue
		}
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			h.counters[name] = sum(f)
		case dto.MetricType_GAUGE, dto.MetricType_UNTYPED:
			h.gauges[name] = value(name, f)
		case dto.MetricType_HISTOGRAM:
			for _, m := range f.GetMetric() {
				h.counts[name] += float64(m.GetHistogram().GetSampleCount())
				h.sums[name] += m.GetHistogram().GetSampleSum()
			}
		}
	}
	return h
}

// lines are what readings, in order of time, say over time. What stays 0 all the time is left out.
func lines(all []reading) (told []series.Told) {
	held := lists.Map(all, heldIn)
	taken := map[string]bool{}
	for _, d := range drawn {
		t := series.Told{Name: d.name, Title: d.title, Unit: d.unit}
		for i := range held {
			if v, ok := between(held, i, d.name, d.of); ok {
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

// between is what is drawn of a name at reading i; ok is false where there is nothing: before the second reading of a
// counter, where a counter fell as the server began anew, and where nothing was counted that there could be a share or
// a mean of.
func between(held []heldAt, i int, name, of string) (v float64, ok bool) {
	now := held[i]
	if v, ok = now.gauges[name]; ok && of == "" {
		return v, finite(v)
	}
	if i == 0 {
		return 0, false
	}
	before := held[i-1]
	more := func(from, to map[string]float64, name string) (float64, bool) {
		is, ok := to[name]
		return is - from[name], ok && is >= from[name] && finite(is-from[name])
	}
	if count, ok := more(before.counts, now.counts, name); ok {
		total, fine := more(before.sums, now.sums, name)
		return total / count, fine && count > 0
	}
	added, ok := more(before.counters, now.counters, name)
	seconds := float64(now.at-before.at) / 1e9
	if of != "" {
		whole, fine := more(before.counters, now.counters, of)
		return added / whole, ok && fine && whole > 0
	}
	return added / seconds, ok && seconds > 0
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// value is that of a gauge over all labels: the sum, or of shares, of several engines behind one address, the mean.
func value(name string, f *dto.MetricFamily) float64 {
	if name == CacheUse || name == CacheHitRate {
		return sum(f) / max(1, float64(len(f.GetMetric())))
	}
	return sum(f)
}
