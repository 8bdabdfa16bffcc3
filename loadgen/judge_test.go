package loadgen

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// plan returns a series of n queries with per samples each. Query i is scheduled at i*gap and issued late after that.
// Its j-th sample is done latency(i, j) after its due time. A negative latency means that the sample is never done.
func plan(n, per int, gap, late time.Duration, latency func(i, j int) time.Duration) *testSeries {
	p := &testSeries{Start: time.Unix(1e9, 0), GeneratedQueries: uint64(n), SamplesPerQuery: uint64(per), Queries: n}
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

// rising returns i+1 ms as the latency of query i.
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

func judged(e EffectiveSettings, p *testSeries) *Result {
	r := &Result{}
	s := DefaultTestSettings()
	s.Scenario = e.Scenario
	judgeSeries(s, e, p, r)
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
	if r.Latency.Mean != 50500*time.Microsecond || r.Latency.Min != time.Millisecond ||
		r.Latency.Max != 100*time.Millisecond {
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

func TestJudgeAborted(t *testing.T) {
	p := plan(200, 1, time.Millisecond, 0, func(i, _ int) time.Duration {
		if i%4 == 3 {
			return -1
		}
		return 2 * time.Millisecond
	})
	r := &Result{Aborted: errors.New("the SUT is gone")}
	judgeSeries(DefaultTestSettings(), effectiveFor(SingleStream), p, r)
	if r.Verdict != Invalid || r.QueryCount != 200 || r.Latency.N != 150 || r.Latency.Mean != 2*time.Millisecond {
		t.Errorf("%s, %d queries, %+v", r.Verdict, r.QueryCount, r.Latency)
	}
	checkReasons(t, r.Reasons, map[string]string{"aborted": "ended after 200 queries: the SUT is gone"})
}

// TestJudgeNothing judges aborted runs without any answer. All numbers must be finite, and there must be reasons.
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
			judgeSeries(DefaultTestSettings(), e, p, r)
			for _, v := range []float64{r.Metric, r.QPSWithOverhead, r.QPSWithoutOverhead, r.ScheduledSamplesPerSec,
				r.CompletedSamplesPerSec, r.SamplesPerSec} {
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
				judgeSeries(DefaultTestSettings(), e, p, &Result{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/sample")
		})
	}
}
