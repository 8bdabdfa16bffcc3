package record_test

import (
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

func server() record.Run {
	return record.Run{Status: record.Complete, Duration: 10, Performance: &record.Performance{
		Metric:  record.Figure{Name: "completed samples per second", Unit: "samples/s", Value: 103.5},
		Figures: []record.Figure{{Name: "completed samples per second", Unit: "samples/s", Value: 103.5}},
		Queries: 1000, Samples: 1000, Over: 3,
		Latency: record.Latency{Count: 1000, Mean: 2e6, Max: 9e6, Percentiles: []record.Percentile{{P: 0.99, NS: 7.5e6},
			{P: 0.999, NS: 8e6}}},
		Issue: &record.Latency{Count: 1000, Percentiles: []record.Percentile{{P: 0.99, NS: 5e4}}},
	}}
}

func TestFind(t *testing.T) {
	scored := record.Run{Status: record.Complete, Accuracy: &record.Accuracy{Verdict: judge.Verdict{
		Metrics: []judge.Metric{
			{Name: "F1", Unit: "%", Better: sdk.HigherBetter, Value: 90.5},
			{Name: "gen_len", Better: sdk.NeitherBetter, Value: 7},
			{Name: "WER", Unit: "%", Better: sdk.LowerBetter, Value: 3}, {Name: "old", Value: 1},
		},
	}}}
	for _, c := range []struct {
		run    record.Run
		name   string
		want   float64
		unit   string
		better sdk.MetricDirection
	}{
		{server(), "result", 103.5, "samples/s", sdk.HigherBetter},
		{server(), "samples_per_second", 103.5, "samples/s", sdk.HigherBetter},
		{server(), "p99", 7.5, "ms", sdk.LowerBetter},
		{server(), "P99.9", 8, "ms", sdk.LowerBetter},
		{server(), "mean", 2, "ms", sdk.LowerBetter},
		{server(), "issue_delay.p99", 0.05, "ms", sdk.LowerBetter},
		{server(), "overlatency", 3, "", sdk.NeitherBetter},
		{server(), "duration", 10, "s", sdk.NeitherBetter},
		{scored, "accuracy.F1", 90.5, "%", sdk.HigherBetter},
		{scored, "f1", 90.5, "%", sdk.HigherBetter},
		{scored, "gen_len", 7, "", sdk.NeitherBetter},
		{scored, "WER", 3, "%", sdk.LowerBetter},
		{scored, "old", 1, "", ""},
	} {
		m, ok := metric.Find(c.run.Metrics(), c.name)
		if !ok || m.Value != c.want || m.Unit != c.unit || m.Better != c.better {
			t.Errorf("%s is %+v (%v), want %v %s", c.name, m, ok, c.want, c.unit)
		}
	}
}

func TestWhatWasNotMeasuredIsNotListed(t *testing.T) {
	r := server()
	r.Performance.Latency = record.Latency{}
	r.Performance.Metric.Value = figure.Number(math.NaN())
	for _, name := range []string{"p99", "mean", "result", "query.p99", "ttft.p99", "power.average", "accuracy.F1"} {
		if m, ok := metric.Find(r.Metrics(), name); ok {
			t.Errorf("%s is %+v", name, m)
		}
	}
	r = server()
	r.Status = record.Interrupted
	if got := r.Metrics(); got != nil {
		t.Errorf("an interrupted run has figures: %v", got)
	}
}

func TestNames(t *testing.T) {
	for s, names := range map[loadgen.Scenario][]string{
		loadgen.SingleStream: {"result", "queries_per_second", "p90", "ttft.p99.9", "power.energy"},
		loadgen.MultiStream:  {"query.p99", "tpot.p50"},
		loadgen.Server:       {"samples_per_second", "tokens_per_second", "issue_delay.max", "duration"},
		loadgen.Offline:      {"samples_per_second", "tokens", "p97"},
	} {
		for _, n := range names {
			if _, ok := metric.Find(record.MetricNames(s), n); !ok {
				t.Errorf("%v has no %s", s, n)
			}
		}
	}
	if _, ok := metric.Find(record.MetricNames(loadgen.Offline), "ttft.p99"); ok {
		t.Error("Offline has a TTFT")
	}
	got := record.AccuracyMetrics([]sdk.MetricInfo{{Name: "F1", Unit: "%"}})
	if len(got) != 1 || got[0].Name != "accuracy.F1" ||
		got[0].Better != sdk.HigherBetter {
		t.Error(got)
	}
	if i := slices.IndexFunc(record.MetricNames(loadgen.Server), func(m metric.Metric) bool { return m.Main }); i != 0 {
		t.Errorf("the first of the main figures is number %d", i)
	}
}
