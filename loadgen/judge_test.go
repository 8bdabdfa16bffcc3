package loadgen

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// plan makes a series of n queries of per samples: query i is scheduled at i*gap, issued late, and its j-th sample is
// done latency(i, j) after its due time; a negative latency stands for never.
func plan(n, per int, gap, late time.Duration, latency func(i, j int) time.Duration) *series {
	p := &series{Start: time.Unix(1e9, 0), GeneratedQueries: uint64(n), SamplesPerQuery: uint64(per), Queries: n}
	for i := range n {
		due := time.Duration(i) * gap
		p.Scheduled = append(p.Scheduled, int64(due))
		p.Issued = append(p.Issued, int64(due+late))
		for j := range per {
			at := int64(-1)
			if l := latency(i, j); l >= 0 {
				at = int64(due + l)
			}
			p.Done = append(p.Done, at)
		}
	}
	return p
}

func constant(d time.Duration) func(i, j int) time.Duration {
	return func(int, int) time.Duration { return d }
}

// rising gives query i the latency i+1 ms.
func rising(i, _ int) time.Duration { return time.Duration(i+1) * time.Millisecond }

func effectiveFor(scenario Scenario) EffectiveSettings {
	e := EffectiveSettings{
		Scenario: scenario, Mode: PerformanceOnly, SamplesPerQuery: 1, TargetQPS: 100, TargetLatencyPercentile: 0.9,
		MinQueryCount: 1, MinSampleCount: 1,
	}
	if scenario == Server {
		e.TargetLatency = 10 * time.Millisecond
	}
	return e
}

func judged(e EffectiveSettings, p *series) *Result {
	r := &Result{}
	s := DefaultTestSettings()
	s.Scenario = e.Scenario
	judge(s, e, p, r)
	return r
}

func TestJudgeSingleStream(t *testing.T) {
	p := plan(100, 1, 200*time.Millisecond, 0, rising)
	done := slices.Clone(p.Done)
	r := judged(effectiveFor(SingleStream), p)
	if !slices.Equal(p.Done, done) {
		t.Error("judge changed the series")
	}
	if r.Verdict != Valid || len(r.Reasons) != 0 {
		t.Errorf("%s %v", r.Verdict, r.Reasons)
	}
	// Index trunc(100*p) of the sorted latencies, no interpolation: the 91st for p = 0.9.
	if r.TargetPercentile.Latency != 91*time.Millisecond {
		t.Errorf("90th percentile %v, want 91ms", r.TargetPercentile.Latency)
	}
	var got []time.Duration
	for _, q := range r.Latency.Percentiles {
		got = append(got, q.Latency/time.Millisecond)
	}
	if want := []time.Duration{51, 91, 96, 98, 100, 100}; !slices.Equal(got, want) {
		t.Errorf("percentiles %v ms, want %v", got, want)
	}
	if r.Latency.Mean != 50500*time.Microsecond || r.Latency.Min != time.Millisecond || r.Latency.Max != 100*time.Millisecond {
		t.Errorf("%+v", r.Latency)
	}
	// Two of the highest are discarded; see the official log of such a run.
	if r.EarlyStopping.Estimate != 98*time.Millisecond || r.Metric != 98e6 || r.MetricUnit != "ns" {
		t.Errorf("estimate %v, metric %v %s", r.EarlyStopping.Estimate, r.Metric, r.MetricUnit)
	}
	if r.EarlyStopping99.Met || r.EarlyStopping99.QueriesNeeded != 662 {
		t.Errorf("99th: %+v", r.EarlyStopping99)
	}
	if r.QPSWithOverhead != 99/19.8 || r.QPSWithoutOverhead != 1/0.0505 {
		t.Errorf("rates %v, %v", r.QPSWithOverhead, r.QPSWithoutOverhead)
	}
}

func TestJudgeMultiStreamCountsWholeQueries(t *testing.T) {
	e := effectiveFor(MultiStream)
	e.SamplesPerQuery = 4
	p := plan(70, 4, time.Second, 0, func(i, j int) time.Duration { return time.Duration(j+1) * time.Millisecond })
	r := judged(e, p)
	if r.QueryLatency.N != 70 || r.QueryLatency.Min != 4*time.Millisecond || r.QueryLatency.Mean != 4*time.Millisecond {
		t.Errorf("queries %+v", r.QueryLatency)
	}
	if r.Latency.N != 280 || r.Latency.Min != time.Millisecond || r.Latency.Mean != 2500*time.Microsecond {
		t.Errorf("samples %+v", r.Latency)
	}
	if r.Verdict != Valid || r.TargetPercentile.Latency != 4*time.Millisecond || r.EarlyStopping.QueriesProcessed != 70 {
		t.Errorf("%s, %v, %+v", r.Verdict, r.TargetPercentile, r.EarlyStopping)
	}
}

func TestJudgeServer(t *testing.T) {
	p := plan(101, 1, 10*time.Millisecond, 20*time.Microsecond, func(i, _ int) time.Duration {
		return time.Duration(5+i%2*5) * time.Millisecond // 10 ms is not over the limit of 10 ms
	})
	r := judged(effectiveFor(Server), p)
	if r.Verdict != Valid || r.OverlatencyCount != 0 || r.EarlyStopping.Text != " * Run successful." {
		t.Errorf("%s, %d over, %q", r.Verdict, r.OverlatencyCount, r.EarlyStopping.Text)
	}
	if r.ScheduledSamplesPerSec != 100 || r.CompletedSamplesPerSec != 100/1.005 || r.Metric != r.CompletedSamplesPerSec {
		t.Errorf("scheduled %v, completed %v", r.ScheduledSamplesPerSec, r.CompletedSamplesPerSec)
	}
	if r.IssueDelay.Mean != 20*time.Microsecond {
		t.Errorf("issue delay %v", r.IssueDelay.Mean)
	}
	if r.Duration != 1005*time.Millisecond {
		t.Errorf("duration %v", r.Duration)
	}
}

func TestJudgeOffline(t *testing.T) {
	e := effectiveFor(Offline)
	e.SamplesPerQuery, e.MinSampleCount = 3000, 3000
	p := plan(1, 3000, 0, 0, func(_, j int) time.Duration { return time.Duration(j+1) * time.Millisecond })
	r := judged(e, p)
	if r.Verdict != Valid || r.SamplesPerSec != 1000 || r.EarlyStopping.Text != "" || r.Latency.N != 3000 {
		t.Errorf("%s, %v samples/s, %+v", r.Verdict, r.SamplesPerSec, r.Latency)
	}
	if r.TargetPercentile.Latency != 2701*time.Millisecond {
		t.Errorf("percentile %v", r.TargetPercentile.Latency)
	}
}

// TestReasons judges INVALID runs: each unmet rule is named, with what was measured and needed, and a hint.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(e *EffectiveSettings, s *TestSettings)
		p      *series
		e      Scenario
		want   map[string]string // rule: a part of the reason
	}{
		{"too slow", nil, plan(500, 1, 10*time.Millisecond, 0, constant(20*time.Millisecond)), Server,
			map[string]string{"latency": "90.0th percentile latency 20ms; 500 of 500 queries above the limit | at most 10ms; at most 10 % of the queries above it | Even the fastest query took 20ms", "early_stopping": "500 queries, 500 of them above 10ms"}},
		{"behind", nil, plan(500, 1, 10*time.Millisecond, 0, rising), Server,
			map[string]string{"latency": "The SUT fell behind: it completed 90.89 queries per second of 100 scheduled", "early_stopping": "Meet the latency limit first"}},
		{"bursts", nil, plan(500, 1, 10*time.Millisecond, 0, func(i, _ int) time.Duration { return time.Duration(1+i%5*3) * time.Millisecond }), Server,
			map[string]string{"latency": "Lower target_qps (100 now)", "early_stopping": ""}},
		{"too few to trust", nil, plan(20, 1, 10*time.Millisecond, 0, constant(time.Millisecond)), Server,
			map[string]string{"early_stopping": "20 queries, 0 of them above 10ms | 44 queries with no more of them above the limit, to trust the 90.0th percentile | Set min_query_count to 44, or min_duration to 440ms."}},
		{"too few for an estimate", nil, plan(20, 1, 0, 0, constant(1500*time.Microsecond)), SingleStream,
			map[string]string{"early_stopping": "20 queries | at least 64 queries to estimate the 90.0th percentile | Set min_query_count to 64, or min_duration to 96ms."}},
		{"too short", func(e *EffectiveSettings, _ *TestSettings) { e.MinDuration = 10 * time.Second }, plan(100, 1, 2*time.Millisecond, 0, constant(time.Millisecond)), SingleStream,
			map[string]string{"min_duration": "198ms | at least 10s | Lower target_latency (the expected latency) from 10ms to 1ms"}},
		{"offline query too small", func(e *EffectiveSettings, s *TestSettings) {
			e.MinDuration, s.OfflineExpectedQPS = 10*time.Second, 5
		}, plan(1, 100, 0, 0, constant(2*time.Second)), Offline,
			map[string]string{"min_duration": "2s | at least 10s | Raise target_qps (the expected rate) from 5 to 50"}},
		{"stopped by max_query_count", func(e *EffectiveSettings, _ *TestSettings) {
			e.MinQueryCount, e.MinSampleCount, e.MaxQueryCount = 200, 200, 100
		},
			plan(100, 1, 2*time.Millisecond, 0, constant(time.Millisecond)), SingleStream,
			map[string]string{"min_query_count": "100 queries, 100 samples | at least 200 queries, 200 samples | max_query_count = 100 ended the run"}},
		{"stopped by max_duration", func(e *EffectiveSettings, _ *TestSettings) {
			e.MinQueryCount, e.MaxDuration = 200, 100*time.Millisecond
		}, plan(100, 1, 2*time.Millisecond, 0, constant(time.Millisecond)), SingleStream,
			map[string]string{"min_query_count": "max_duration = 100ms ended the run"}},
		{"stopped by max_async_queries", func(e *EffectiveSettings, _ *TestSettings) {
			e.MinQueryCount, e.MaxAsyncQueries, e.MinDuration = 100, 5, 2*time.Second
		},
			short(plan(60, 1, 10*time.Millisecond, 0, constant(time.Millisecond)), 100), Server,
			map[string]string{"min_query_count": "More than max_async_queries = 5", "min_duration": "590ms | at least 2s | More than max_async_queries = 5"}},
		{"stopped otherwise", func(e *EffectiveSettings, _ *TestSettings) { e.MinQueryCount = 200 },
			plan(100, 1, 2*time.Millisecond, 0, constant(time.Millisecond)), SingleStream,
			map[string]string{"min_query_count": "the errors of the detail log say why"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, s := effectiveFor(c.e), DefaultTestSettings()
			e.SamplesPerQuery = c.p.SamplesPerQuery
			if c.e == SingleStream {
				e.TargetQPS = 100
			}
			if c.change != nil {
				c.change(&e, &s)
			}
			r := &Result{}
			judge(s, e, c.p, r)
			if r.Verdict != Invalid {
				t.Errorf("verdict %s", r.Verdict)
			}
			checkReasons(t, r.Reasons, c.want)
		})
	}
}

// short makes p a part of a series for which more queries were generated.
func short(p *series, generated uint64) *series {
	p.GeneratedQueries = generated
	return p
}

func checkReasons(t *testing.T, reasons []Reason, want map[string]string) {
	t.Helper()
	for _, r := range reasons {
		text := r.Measured + " | " + r.Needed + " | " + r.Hint
		if part, ok := want[r.Rule]; !ok || !strings.Contains(text, part) {
			t.Errorf("%s: %s\nwant %q", r.Rule, text, part)
		}
		if r.Measured == "" || r.Needed == "" || !strings.HasSuffix(r.Hint, ".") {
			t.Errorf("%s: incomplete reason %+v", r.Rule, r)
		}
	}
	if len(reasons) != len(want) {
		t.Errorf("%d reasons, want %d: %+v", len(reasons), len(want), reasons)
	}
}

func TestJudgeAborted(t *testing.T) {
	p := plan(200, 1, time.Millisecond, 0, func(i, _ int) time.Duration {
		if i%4 == 3 {
			return -1
		}
		return 2 * time.Millisecond
	})
	r := &Result{Aborted: errors.New("the SUT is gone")}
	judge(DefaultTestSettings(), effectiveFor(SingleStream), p, r)
	if r.Verdict != Invalid || r.QueryCount != 200 || r.Latency.N != 150 || r.Latency.Mean != 2*time.Millisecond {
		t.Errorf("%s, %d queries, %+v", r.Verdict, r.QueryCount, r.Latency)
	}
	checkReasons(t, r.Reasons, map[string]string{"aborted": "ended after 200 queries: the SUT is gone"})
}

// TestJudgeNothing judges aborted runs without a single answer: all numbers are finite, and there are reasons.
func TestJudgeNothing(t *testing.T) {
	for _, scenario := range Scenarios() {
		for _, n := range []int{0, 3} {
			per := 1
			if scenario == MultiStream {
				per = 8
			}
			e := effectiveFor(scenario)
			e.SamplesPerQuery = uint64(per)
			p := plan(n, per, time.Millisecond, 0, constant(-1))
			r := &Result{Aborted: errors.New("interrupted")}
			judge(DefaultTestSettings(), e, p, r)
			for _, v := range []float64{r.Metric, r.QPSWithOverhead, r.QPSWithoutOverhead, r.ScheduledSamplesPerSec, r.CompletedSamplesPerSec, r.SamplesPerSec} {
				if !(v >= 0 && v < 1e12) {
					t.Errorf("%v: %v", scenario, v)
				}
			}
			if r.Verdict != Invalid || len(r.Reasons) == 0 || len(r.Latency.Percentiles) != 6 {
				t.Errorf("%v: %+v", scenario, r)
			}
		}
	}
}

// BenchmarkJudge judges ten million samples.
func BenchmarkJudge(b *testing.B) {
	const n = 10_000_000
	for _, scenario := range []Scenario{SingleStream, Server, Offline} {
		queries, per := n, 1
		if scenario == Offline {
			queries, per = 1, n
		}
		p := plan(queries, per, 100, 10, func(i, j int) time.Duration { return time.Duration(100 + j + i*7919%100_003) })
		e := effectiveFor(scenario)
		e.SamplesPerQuery = uint64(per)
		b.Run(scenario.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				judge(DefaultTestSettings(), e, p, &Result{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/sample")
		})
	}
}
