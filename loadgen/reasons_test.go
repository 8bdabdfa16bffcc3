package loadgen

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestReasons judges INVALID runs. Each unmet rule must be named, with the measured and the required value and a hint.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(e *EffectiveSettings, s *TestSettings)
		p      *testSeries
		e      Scenario
		want   map[string]string // by rule: a part of the reason
	}{
		{"too slow", nil, plan(500, 1, 10*time.Millisecond, 0, constant(20*time.Millisecond)), Server,
			map[string]string{"latency": "90.0th percentile latency 20 ms; 500 of 500 queries (100 %) above the limit | at " +
				"most 10 ms; at most 49 queries above it | No target_qps passes: 500 of 500 queries (100 %) take longer than 10 " +
				"ms without waiting", "early_stopping": "500 of 500 queries (100 %) above 10 ms"}},
		{"behind", nil, plan(500, 1, 10*time.Millisecond, 0, rising), Server,
			map[string]string{"latency": "The SUT fell behind: it completed 90.9 queries per second of 100 scheduled. No " +
				"target_qps passes", "early_stopping": "Meet the limit first"}},
		{"issued late", nil, plan(500, 1, 10*time.Millisecond, 15*time.Millisecond, constant(20*time.Millisecond)), Server,
			map[string]string{"latency": "queries were issued late (see the note), which is part of it: first give LoadGen a " +
				"free processor.", "early_stopping": "Meet the limit first"}},
		{"bursts", nil, plan(500, 1, 10*time.Millisecond, 0,
			func(i, _ int) time.Duration { return time.Duration(1+i%5*3) * time.Millisecond }), Server,
			map[string]string{"latency": "90.0th percentile latency 13 ms; 100 of 500 queries (20 %) above the limit",
				"early_stopping": "Meet the limit first"}},
		{"too few to trust", nil, plan(20, 1, 10*time.Millisecond, 0, constant(time.Millisecond)), Server,
			map[string]string{"early_stopping": "0 of 20 queries (0 %) above 10 ms | 44 queries with no more of them above " +
				"the limit, to trust the 90.0th percentile | Set min_query_count to 44, or min_duration to 440 ms."}},
		{"too few for an estimate", nil, plan(20, 1, 0, 0, constant(1500*time.Microsecond)), SingleStream,
			map[string]string{"early_stopping": "20 queries | at least 64 queries to estimate the 90.0th percentile | Set " +
				"min_query_count to 64, or min_duration to 96 ms."}},
		{"too short", func(e *EffectiveSettings, _ *TestSettings) { e.MinDuration = 10 * time.Second },
			plan(100, 1, 2*time.Millisecond, 0, constant(time.Millisecond)), SingleStream,
			map[string]string{"min_duration": "198 ms until the last query was issued | at least 10 s | Set target_latency " +
				"(the expected latency, 10 ms now) to 1 ms, the measured mean: that generates about 20,000 queries " +
				"instead of 100."}},
		{"offline query too small", func(e *EffectiveSettings, s *TestSettings) {
			e.MinDuration, s.OfflineExpectedQPS = 10*time.Second, 5
		}, plan(1, 100, 0, 0, constant(2*time.Second)), Offline,
			map[string]string{"min_duration": "2 s until the last sample was answered | at least 10 s | Set target_qps (the " +
				"expected rate, 5 now) to 50, the measured rate: the query then has 550 samples instead of 100."}},
		{"stopped by max_query_count", func(e *EffectiveSettings, _ *TestSettings) {
			e.MinQueryCount, e.MinSampleCount, e.MaxQueryCount = 200, 200, 100
		},
			plan(100, 1, 2*time.Millisecond, 0, constant(time.Millisecond)), SingleStream,
			map[string]string{"min_query_count": "100 queries | at least 200 queries | max_query_count = 100 ended the run; " +
				"raise it to at least 200 or set it to 0."}},
		{"stopped by max_duration", func(e *EffectiveSettings, _ *TestSettings) {
			e.MinQueryCount, e.MaxDuration = 200, 100*time.Millisecond
		}, plan(100, 1, 2*time.Millisecond, 0, constant(time.Millisecond)), SingleStream,
			map[string]string{"min_query_count": "max_duration = 100 ms ended the run; raise it above 200 ms or set it to 0."}},
		{"stopped by max_async_queries", func(e *EffectiveSettings, _ *TestSettings) {
			e.MinQueryCount, e.MaxAsyncQueries, e.MinDuration = 100, 5, 2*time.Second
		},
			short(plan(60, 1, 10*time.Millisecond, 0, constant(time.Millisecond)), 100), Server,
			map[string]string{"min_query_count": "More than max_async_queries = 5", "min_duration": "590 ms until the last " +
				"query was due | at least 2 s | More than max_async_queries = 5 queries were outstanding after 60 queries"}},
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
			judgeSeries(s, e, c.p, r)
			if r.Verdict != Invalid {
				t.Errorf("verdict %s", r.Verdict)
			}
			checkReasons(t, r.Reasons, c.want)
		})
	}
}

// TestRatios checks that a ratio is a percentage, and a number of times from ten on.
func TestRatios(t *testing.T) {
	for ratio, want := range map[float64]string{0.055: "5.5 % of", 9.99: "999.0 % of", 12.34: "12.3 times",
		1235.6: "1236 times"} {
		if got := humanShare(ratio); got != want {
			t.Errorf("%v is %q, want %q", ratio, got, want)
		}
	}
}

// short makes p a part of a series with more generated queries.
func short(p *testSeries, generated uint64) *testSeries {
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
		if !slices.ContainsFunc(Rules(), func(rule Rule) bool { return rule.Name == r.Rule }) {
			t.Errorf("%s is not one of Rules", r.Rule)
		}
	}
	if len(reasons) != len(want) {
		t.Errorf("%d reasons, want %d: %+v", len(reasons), len(want), reasons)
	}
}

// TestOneReasonForEachRule violates each rule separately and requires exactly its own reason. (Early stopping does not
// apply to runs that miss a limit, because it would fail too.)
func TestOneReasonForEachRule(t *testing.T) {
	fast, slow := constant(time.Millisecond), constant(20*time.Millisecond)
	for rule, c := range map[string]struct {
		scenario Scenario
		p        *testSeries
		change   func(e *EffectiveSettings, s *TestSettings)
	}{
		"latency": {Server, plan(500, 1, 10*time.Millisecond, 0, slow),
			func(e *EffectiveSettings, _ *TestSettings) { e.NoEarlyStopping = true }},
		"min_duration": {Server, plan(500, 1, 10*time.Millisecond, 0, fast),
			func(e *EffectiveSettings, _ *TestSettings) { e.MinDuration = time.Minute }},
		"min_query_count": {Server, plan(500, 1, 10*time.Millisecond, 0, fast),
			func(e *EffectiveSettings, _ *TestSettings) { e.MinQueryCount = 501 }},
		"early_stopping": {Server, plan(20, 1, 10*time.Millisecond, 0, fast), nil},
		"arrival_interval": {MultiStream, plan(100, 4, 20*time.Millisecond, 0, fast),
			func(e *EffectiveSettings, _ *TestSettings) {
				e.ArrivalInterval, e.SamplesPerQuery, e.NoEarlyStopping = 10*time.Millisecond, 4, true
			}},
		"ttft": {Server, tokenPlan(500, 20*time.Millisecond, 30*time.Millisecond), tokenLimits},
		"tpot": {Server, tokenPlan(500, time.Millisecond, 60*time.Millisecond), tokenLimits},
	} {
		t.Run(rule, func(t *testing.T) {
			e, s := effectiveFor(c.scenario), DefaultTestSettings()
			if c.change != nil {
				c.change(&e, &s)
			}
			r := &Result{}
			judgeSeries(s, e, c.p, r)
			if r.Verdict != Invalid {
				t.Errorf("verdict %s", r.Verdict)
			}
			checkReasons(t, r.Reasons, map[string]string{rule: ""})
		})
	}
}

// tokenLimits sets limits of 10 ms for the first token and 5 ms for each further one. Those of tokenPlan are 11 ms.
func tokenLimits(e *EffectiveSettings, s *TestSettings) {
	s.UseTokenLatencies, e.NoEarlyStopping = true, true
	s.ServerTTFTLatency, s.ServerTPOTLatency = 10*time.Millisecond, 5*time.Millisecond
}

func tokenPlan(n int, first, done time.Duration) *testSeries {
	p := plan(n, 1, 10*time.Millisecond, 0, constant(done))
	for i := range p.Done {
		p.FirstToken = append(p.FirstToken, p.Scheduled[i]+int64(first))
		p.Tokens = append(p.Tokens, 11)
	}
	return p
}

// TestReasonsOfOverload judges a SUT with one and with four servers at a rate that is a third too high. The estimate
// must be close to the rate that the same SUT sustains.
func TestReasonsOfOverload(t *testing.T) {
	for _, servers := range []int{1, 4} {
		e := effectiveFor(Server)
		e.TargetQPS, e.TargetLatency, e.TargetLatencyPercentile = 130*float64(servers), 60*time.Millisecond, 0.9
		r := &Result{}
		judgeSeries(DefaultTestSettings(), e, queuePlan(5000, servers, 1e9/e.TargetQPS), r)
		c := r.Capacity
		if c == nil || c.Servers < servers || c.Servers > servers+servers/4 || c.Service < 9*time.Millisecond ||
			c.Service > 13*time.Millisecond {
			t.Fatalf("%d servers: %+v", servers, c)
		}
		for rate, want := range map[float64]Verdict{c.QPS * 0.97: Valid, c.QPS * 1.1: Invalid} {
			e.TargetQPS = rate
			again := &Result{}
			judgeSeries(DefaultTestSettings(), e, queuePlan(5000, servers, 1e9/rate), again)
			if again.Verdict != want {
				t.Errorf("%d servers: %s at %.4g queries per second, where about %.4g are said to pass",
					servers, again.Verdict, rate, c.QPS)
			}
		}
		if hint := r.Reasons[0].Hint; !strings.Contains(hint, "queries per second would pass") ||
			!strings.Contains(hint, humanRate(c.QPS)) {
			t.Errorf("hint %q of %+v", hint, c)
		}
	}
}

// queuePlan sends queries with gaps from 0 to twice gap (ns) to servers that take 5 to 15 ms for each.
func queuePlan(n, servers int, gap float64) *testSeries {
	p := plan(n, 1, 0, 0, constant(0))
	free := make([]int64, servers)
	var at float64
	for i := range n {
		p.Scheduled[i], p.Issued[i] = int64(at), int64(at)
		first := 0
		for k := range free {
			if free[k] < free[first] {
				first = k
			}
		}
		free[first] = max(p.Scheduled[i], free[first]) + int64(5e6+1e4*float64(i*7919%1000))
		p.Done[i] = free[first]
		at += gap * 2 * float64(i*104729%997) / 997
	}
	return p
}

// TestEarlyStoppingAdvice checks the advice for the measured share of late queries.
func TestEarlyStoppingAdvice(t *testing.T) {
	late := func(n, each int) *testSeries {
		return plan(n, 1, 10*time.Millisecond, 0, func(i, _ int) time.Duration {
			if each > 0 && i%each == each-1 {
				return 20 * time.Millisecond
			}
			return time.Millisecond
		})
	}
	for name, c := range map[string]struct {
		p    *testSeries
		want string
	}{
		"none is late":        {late(20, 0), "Set min_query_count to 44, or min_duration to 440 ms."},
		"none of two is late": {late(2, 0), "Set min_query_count to 44, or min_duration to 440 ms."},
		"a twentieth is late": {late(60, 20), "enough for the same share of late queries."},
		"nearly a tenth is late": {late(10001, 10), "The share of late queries is too close to what is allowed for a " +
			"longer run to help. No target_qps passes: 1,000 of 10,001 queries"},
	} {
		e := effectiveFor(Server)
		r := &Result{}
		judgeSeries(DefaultTestSettings(), e, c.p, r)
		if len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0].Hint, c.want) {
			t.Errorf("%s: %+v, want %q", name, r.Reasons, c.want)
		}
	}
}

func TestHuman(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 532: "532 ns", 1500: "1.5 µs", 17234567: "17.2 ms", 15 * time.Millisecond: "15 ms", 123456789: "123 ms",
		1234567890: "1.23 s", 10 * time.Minute: "600 s", 3*time.Hour + 1: "10800 s", -17234567: "-17.2 ms",
	} {
		if got := humanDuration(d); got != want {
			t.Errorf("human(%d) = %q, want %q", d, got, want)
		}
	}
	if a, b := humanPair(15000400, 15*time.Millisecond); a != "15.0004 ms" || b != "15 ms" {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := humanPair(15*time.Millisecond, 15*time.Millisecond); a != b {
		t.Errorf("%q and %q", a, b)
	}
	for v, want := range map[float64]string{41.7: "41", 417: "410", 4.19: "4.1", 0.0347: "0.034",
		12345: "12000", 0: "0", 10: "10"} {
		if got := humanRate(v); got != want {
			t.Errorf("humanRate(%v) = %q, want %q", v, got, want)
		}
	}
}
