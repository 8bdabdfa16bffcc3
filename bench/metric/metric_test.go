package metric

import (
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/judge"
	"github.com/plumbline-ml/plumbline/bench/report"
)

func server() report.Run {
	return report.Run{Status: report.Complete, Duration: 10, Performance: &report.Performance{
		Metric:  report.Figure{Name: "completed samples per second", Unit: "samples/s", Value: 103.5},
		Figures: []report.Figure{{Name: "completed samples per second", Unit: "samples/s", Value: 103.5}},
		Queries: 1000, Samples: 1000, Over: 3,
		Latency: report.Latency{Count: 1000, Mean: 2e6, Max: 9e6, Percentiles: []report.Percentile{{P: 0.99, NS: 7.5e6},
			{P: 0.999, NS: 8e6}}},
		Issue: &report.Latency{Count: 1000, Percentiles: []report.Percentile{{P: 0.99, NS: 5e4}}},
	}}
}

func TestFind(t *testing.T) {
	scored := report.Run{Status: report.Complete, Accuracy: &report.Accuracy{Verdict: judge.Verdict{
		Metrics: []judge.Metric{
			{Name: "F1", Unit: "%", Better: sdk.HigherBetter, Value: 90.5},
			{Name: "gen_len", Better: sdk.NeitherBetter, Value: 7},
			{Name: "WER", Unit: "%", Better: sdk.LowerBetter, Value: 3}, {Name: "old", Value: 1},
		},
	}}}
	for _, c := range []struct {
		run    report.Run
		name   string
		want   float64
		unit   string
		better Better
	}{
		{server(), "result", 103.5, "samples/s", Higher},
		{server(), "samples_per_second", 103.5, "samples/s", Higher},
		{server(), "p99", 7.5, "ms", Lower},
		{server(), "P99.9", 8, "ms", Lower},
		{server(), "mean", 2, "ms", Lower},
		{server(), "issue_delay.p99", 0.05, "ms", Lower},
		{server(), "overlatency", 3, "", Neither},
		{server(), "duration", 10, "s", Neither},
		{scored, "accuracy.F1", 90.5, "%", Higher},
		{scored, "f1", 90.5, "%", Higher},
		{scored, "gen_len", 7, "", Neither},
		{scored, "WER", 3, "%", Lower},
		{scored, "old", 1, "", Neither},
	} {
		m, ok := Find(Of(c.run), c.name)
		if !ok || m.Value != c.want || m.Unit != c.unit || m.Better != c.better {
			t.Errorf("%s is %+v (%v), want %v %s", c.name, m, ok, c.want, c.unit)
		}
	}
}

func TestWhatWasNotMeasuredIsNotListed(t *testing.T) {
	r := server()
	r.Performance.Latency.Count = 0
	r.Performance.Metric.Value = figure.Number(math.NaN())
	for _, name := range []string{"p99", "mean", "result", "query.p99", "ttft.p99", "power.average", "accuracy.F1"} {
		if m, ok := Find(Of(r), name); ok {
			t.Errorf("%s is %+v", name, m)
		}
	}
	r = server()
	r.Status = report.Interrupted
	if got := Of(r); got != nil {
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
			if _, ok := Find(Names(s), n); !ok {
				t.Errorf("%v has no %s", s, n)
			}
		}
	}
	if _, ok := Find(Names(loadgen.Offline), "ttft.p99"); ok {
		t.Error("Offline has a TTFT")
	}
	if got := Accuracies([]sdk.MetricInfo{{Name: "F1", Unit: "%"}}); len(got) != 1 || got[0].Name != "accuracy.F1" ||
		got[0].Better != Higher {
		t.Error(got)
	}
	if i := slices.IndexFunc(Names(loadgen.Server), func(m Metric) bool { return m.Main }); i != 0 {
		t.Errorf("the first of the main figures is number %d", i)
	}
}
