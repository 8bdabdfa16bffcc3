package loadgen

import "github.com/plumbline-ml/plumbline/loadgen/mllog"

// singleStream issues a query of one sample after the completion of the previous one. Its result is a latency.
type singleStream struct{ chainedScenario }

// check accepts a query count of 0 under equal issue, which raises the number of queries to a whole pass over the
// samples.
func (k singleStream) check(f *faultList, s TestSettings) {
	if !s.SampleConcatenatePermutation {
		k.plainScenario.check(f, s)
	}
}

// expectedLatency returns the expected latency in ns, with its fraction.
func (singleStream) expectedLatency(s TestSettings) float64 {
	return float64(s.SingleStreamExpectedLatency) + s.SingleStreamExpectedLatencyFraction
}

func (k singleStream) effective(e *EffectiveSettings, s TestSettings, q qslCounts) {
	e.TargetQPS = 1e9 / k.expectedLatency(s)
	e.TargetLatencyPercentile = s.SingleStreamTargetLatencyPercentile
	if s.SampleConcatenatePermutation {
		e.MinQueryCount = wholePasses(s, e.TargetQPS, uint64(q.performance))
	}
}

// wholePasses returns the minimum query count under equal issue. It is the number of queries for twice the minimum
// duration, rounded up to a multiple of the samples. If it is a multiple already, it grows by a whole pass.
func wholePasses(s TestSettings, qps float64, samples uint64) uint64 {
	n := max(s.MinQueryCount, truncateToCount(2*minSeconds(s)*qps))
	return n + samples - n%samples
}

func (singleStream) judge(p *testSeries, r *Result) {
	r.PerformanceConstraintsMet = true
	d := describeLatencies(sampleLatencies(p), 0)
	target, fixed := estimateOf(d.N, r.TargetPercentile.P), estimateOf(d.N, 0.99)
	latency, at := d.latenciesAt(percentileRank(d.N, r.TargetPercentile.P), target.rank, fixed.rank)
	r.Latency, r.QueryLatency = latency, latency
	r.TargetPercentile.Latency = at[0]
	r.EarlyStopping = target.toEarlyStopping(at[1])
	second := fixed.toEarlyStopping(at[2])
	if r.EarlyStopping.Met {
		r.EarlyStopping.Text += "\n" + fixed.secondText(at[2])
	}
	r.EarlyStopping99 = &second
	r.QPSWithOverhead = ratePerSecond(p.Queries-1, p.lastIssue())
	r.QPSWithoutOverhead = ratePerSecond(1, d.Mean)
	r.setStreamMetric("latency")
}

func (singleStream) judgeTokens(t *TokenResult, p *testSeries, r *Result) {
	for _, of := range t.inOrder(p) {
		d := describeLatencies(of.values, 0)
		target, fixed := estimateOf(d.N, r.TargetPercentile.P), estimateOf(d.N, 0.99)
		at := of.fillSummary(d, r.TargetPercentile.P, target.rank, fixed.rank)
		e, second := target.toEarlyStopping(at[0]), fixed.toEarlyStopping(at[1])
		if e.Met {
			e.Text += "\n" + fixed.secondText(at[1])
		}
		if of.TokenLatency == &t.TTFT && !t.TPOT.EarlyStopping.Met {
			e, second = EarlyStopping{}, EarlyStopping{}
		}
		of.EarlyStopping, of.EarlyStopping99 = e, &second
	}
	r.EarlyStopping, r.EarlyStopping99 = t.decisiveStopping(), t.TTFT.EarlyStopping99
	r.setStreamMetric("first token latency")
}

func (singleStream) headline(r *Result) []mllog.Field { return streamHeadline(r) }

func (singleStream) statistics(r *Result) [][]mllog.Field {
	rates := func(t string, with, without float64) []mllog.Field {
		return []mllog.Field{
			{Label: t + " w/ loadgen overhead", Value: twoDecimals(with)},
			{Label: t + " w/o loadgen overhead", Value: twoDecimals(without)},
		}
	}
	stats := [][]mllog.Field{rates("QPS", r.QPSWithOverhead, r.QPSWithoutOverhead), latencyFields(r.Latency)}
	if t := r.Tokens; t != nil {
		stats = append(stats, t.statistics(rates("TPS", t.WithOverhead, t.WithoutOverhead)...)...)
	}
	return stats
}

func (singleStream) results(g *runLog, r *Result) {
	g.logValue("result_qps_with_loadgen_overhead", r.QPSWithOverhead)
	g.logValue("result_qps_without_loadgen_overhead", r.QPSWithoutOverhead)
	if r.Effective.NoEarlyStopping {
		return
	}
	first := r.EarlyStopping
	if r.Tokens != nil {
		first = r.Tokens.TTFT.EarlyStopping
	}
	g.logValue("early_stopping_latency_ss", first.Estimate.Nanoseconds())
	g.logValue("early_stopping_latency_ms", r.EarlyStopping99.Estimate.Nanoseconds())
}
