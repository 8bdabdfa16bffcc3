package record

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

func texts(all []Judged) []string {
	var out []string
	for _, j := range all {
		out = append(out, j.String())
	}
	return out
}

// TestJudged checks that figures with a limit precede the result, and that an estimated result is labelled as an
// estimate.
func TestJudged(t *testing.T) {
	all := runs()
	old := performed(loadgen.SingleStream, nil)
	old.Performance.Metric.Name = "90th percentile latency" // older versions used this name for the estimate
	few := performed(loadgen.SingleStream, func(_ *Run, res *loadgen.Result) { res.EarlyStopping.Met = false })
	tokens := performed(loadgen.SingleStream, func(_ *Run, res *loadgen.Result) {
		l := loadgen.TokenLatency{Target: loadgen.Percentile{P: .9, Latency: 2 * time.Millisecond}, Latency: res.Latency}
		res.Tokens = &loadgen.TokenResult{Count: 9, TTFT: l, TPOT: l}
	})
	loading := performed(loadgen.Server, func(_ *Run, res *loadgen.Result) { res.QueryCount, res.SampleCount = 0, 0 })
	loading.Finish(loadgen.ErrInterrupted)
	const estimate = "early-stopping estimate of the 90th percentile latency 3.1516 ms (upper bound of the 90th " +
		"percentile, 1,234 queries)"
	for name, c := range map[string]struct {
		run  Run
		want []string
	}{
		"server": {all["server"], []string{"99th percentile latency 3.0000 ms (at most 15 ms, 80 % below)",
			"completed samples per second 526.23 samples/s"}},
		"single-stream": {all["single-stream"], []string{estimate, "90th percentile latency 3.0000 ms"}},
		"older":         {old, []string{estimate, "90th percentile latency 3.0000 ms"}},
		"too few":       {few, []string{"90th percentile latency 3.1516 ms"}},
		"tokens, single-stream": {tokens, []string{strings.Replace(estimate, "latency", "TTFT", 1),
			"90th percentile TTFT 2.0000 ms", "90th percentile TPOT 2.0000 ms"}},
		"multi-stream": {all["multi-stream"], []string{"early-stopping estimate of the 99th percentile latency of a query " +
			"24.012 ms (upper bound of the 99th percentile, 1,234 queries)", "99th percentile latency of a query 3.0000 ms"}},
		"offline": {all["offline"], []string{"samples per second 526.23 samples/s"}},
		"tokens": {all["tokens"], []string{"99th percentile TTFT 412.35 ms (at most 450 ms, 8.4 % below)",
			"99th percentile TPOT 38.500 ms (at most 40 ms, 3.7 % below)", "completed tokens per second 526.23 tokens/s"}},
		"streams": {all["streams"], []string{"queries over the latency limit 2 (at most 12, 83 % below)",
			"samples per query 8 samples"}},
		"findpeak": {all["findpeak"], []string{"99th percentile latency 3.0000 ms (at most 15 ms, 80 % below)",
			"target_qps 412.69 queries/s (the highest target_qps that was found to meet the latency limit)"}},
		"failed": {all["failed"], nil}, "interrupted before its first query": {loading, nil},
		"interrupted": {all["interrupted"], []string{"completed samples per second 526.23 samples/s",
			"99th percentile latency 3.0000 ms"}},
		"accuracy": {Run{Accuracy: &Accuracy{Verdict: judge.Verdict{Metrics: []judge.Metric{
			{Name: "F1", Unit: "%", Value: 90, Rounded: "90.000", Target: 89.5}, {Name: "WER", Value: 3, Rounded: "3.0000",
				Upper: 2.5, Text: "above"}, {Name: "gen_len", Value: 99, Rounded: "99.000", Target: 10, Upper: 100},
		}}}}, []string{"F1 90.000 % (at least 89.5 %, 0.56 % above)", "WER 3.0000 (above, at most 2.5, 20 % above)",
			"gen_len 99.000 (at most 100, 1.0 % below)"}},
	} {
		if got := texts(c.run.Judged()); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestBrokenOffBeforeItsFirstQuery checks that a run without measurements shows no figures.
func TestBrokenOffBeforeItsFirstQuery(t *testing.T) {
	run := performed(loadgen.Server, func(_ *Run, res *loadgen.Result) { res.QueryCount, res.SampleCount = 0, 0 })
	run.Finish(loadgen.ErrInterrupted)
	var b strings.Builder
	err := WriteRow(&b, run)
	if _, ok := run.Headline(); err != nil || ok || strings.Contains(b.String(), "samples/s") || len(run.Others()) > 0 {
		t.Errorf("%v: %s%v", err, b.String(), run.Others())
	}
}

// TestMargins checks that impossible margins are undefined and that NaN meets no limit.
func TestMargins(t *testing.T) {
	for _, c := range []struct {
		value, limit float64
		better       sdk.MetricDirection
		met          bool
		margin       string
	}{
		{10, 10, sdk.LowerBetter, true, "just met"}, {10, 10, sdk.HigherBetter, true, "just met"},
		{11, 10, sdk.LowerBetter, false, "10 % above"}, {9, 10, sdk.HigherBetter, false, "10 % below"},
		{0.45, 100, sdk.LowerBetter, true, "99.5 % below"},
		{0, 0, sdk.LowerBetter, true, ""}, {1, 0, sdk.LowerBetter, false, ""}, {math.NaN(), 10, sdk.HigherBetter, false, ""},
		{math.Inf(1), 10, sdk.LowerBetter, false, ""}, {5, 0, "", true, ""}, {9.999999, 10, sdk.LowerBetter, true,
			"less than 0.01 % below"},
	} {
		j := Judged{Figure: Figure{Value: figure.Number(c.value)}, Limit: c.limit, Better: c.better}
		if j.Met() != c.met || j.MarginText() != c.margin {
			t.Errorf("%v of %v (%s): met %v, %q, want %v, %q", c.value, c.limit, c.better, j.Met(), j.MarginText(), c.met,
				c.margin)
		}
	}
}

// TestEachFigureOnce checks that no quantity of a run has two rows, that no name has two meanings, and that figures
// without a meaning in the scenario are not listed. All of LoadGen's measurements have distinct values here.
func TestEachFigureOnce(t *testing.T) {
	for _, s := range loadgen.Scenarios() {
		for _, withTokens := range []bool{false, true} {
			run := performed(s, func(_ *Run, res *loadgen.Result) { distinct(res, withTokens) })
			names, values := map[string]bool{}, map[float64]string{}
			for _, m := range run.Metrics() {
				for _, name := range append([]string{m.Name}, m.Also...) {
					if names[name] {
						t.Errorf("%v: two figures are called %s", s, name)
					}
					names[name] = true
				}
				if other := values[m.Value]; other != "" && m.Unit != "" && m.Unit != "s" {
					t.Errorf("%v: %s and %s are one quantity", s, other, m.Name)
				}
				values[m.Value] = m.Name
			}
			single := s == loadgen.SingleStream
			for name, want := range map[string]bool{
				"result": true, metric.QueriesPerSecond.Name: single, metric.TokensPerSecondWithout.Name: single && withTokens,
				metric.TargetLatency.Name: s != loadgen.Offline, "query.mean": s == loadgen.MultiStream,
				metric.SamplesPerSecond.Name: s == loadgen.Server || s == loadgen.Offline,
				metric.TokensPerSecond.Name:  withTokens,
			} {
				if names[name] != want {
					t.Errorf("%v, tokens %v: %s is listed: %v, want %v", s, withTokens, name, names[name], want)
				}
			}
			titles := map[string]bool{}
			for _, j := range append(run.Judged(), run.Others()...) {
				if titles[j.Figure.Name] {
					t.Errorf("%v: %s is shown twice", s, j.Figure.Name)
				}
				titles[j.Figure.Name] = true
			}
		}
	}
}

// distinct gives each figure a distinct value.
func distinct(res *loadgen.Result, withTokens bool) {
	next := 1000.0
	value := func() float64 { next += 17; return next }
	times := func() loadgen.LatencySummary {
		l := loadgen.LatencySummary{N: 9, Min: time.Duration(value() * 1e3), Max: time.Duration(value() * 1e3),
			Mean: time.Duration(value() * 1e3)}
		for _, p := range []float64{.5, .9, .95, .97, .99, .999} {
			l.Percentiles = append(l.Percentiles, loadgen.Percentile{P: p, Latency: time.Duration(value() * 1e3)})
		}
		return l
	}
	at := func(l loadgen.LatencySummary, p float64) loadgen.Percentile {
		return l.Percentiles[slices.IndexFunc(l.Percentiles, func(q loadgen.Percentile) bool { return q.P == p })]
	}
	s, p := res.Effective.Scenario, res.TargetPercentile.P
	res.Latency = times()
	res.QueryLatency = res.Latency
	switch s {
	case loadgen.SingleStream:
		res.QPSWithOverhead, res.QPSWithoutOverhead = value(), value()
	case loadgen.MultiStream:
		res.QueryLatency = times()
	case loadgen.Server:
		res.IssueDelay, res.ScheduledSamplesPerSec, res.CompletedSamplesPerSec = times(), value(), value()
		res.Metric = res.CompletedSamplesPerSec
	case loadgen.Offline:
		res.SamplesPerSec = value()
		res.Metric = res.SamplesPerSec
	}
	res.TargetPercentile = at(res.QueryLatency, p)
	if !withTokens {
		return
	}
	first, next2 := times(), times()
	res.Tokens = &loadgen.TokenResult{Count: 5, PerSec: value(), WithOverhead: value(), WithoutOverhead: value(),
		TTFT: loadgen.TokenLatency{Latency: first, Target: at(first, p)},
		TPOT: loadgen.TokenLatency{Latency: next2, Target: at(next2, p)}}
	if s == loadgen.Server || s == loadgen.Offline {
		res.MetricName, res.MetricUnit, res.Metric = "tokens per second", "tokens/s", res.Tokens.PerSec
	}
}
