package loadgen

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// TokenResult contains the measurements of a token run (UseTokenLatencies) in addition to its latencies.
type TokenResult struct {
	Count uint64 // tokens of all answered samples
	// TTFT is the time from the scheduled time to the first token. TPOT is the time per output token after the first:
	// (completion - first token) / (tokens - 1), truncated to whole nanoseconds. Both are per sample and not set in
	// Offline.
	TTFT, TPOT TokenLatency
	// PerSec is the headline: all tokens divided by the time to the completion of the last query, or in Offline by the
	// longest latency. WithOverhead divides by the time to the last query's issue, WithoutOverhead by the sum of the
	// latencies.
	PerSec, WithOverhead, WithoutOverhead float64
}

// TokenLatency contains the results of TTFT or TPOT.
type TokenLatency struct {
	Latency LatencySummary
	Target  Percentile    // at the scenario's target percentile
	Limit   time.Duration // Server
	Over    uint64        // Server: samples above Limit
	// EarlyStopping is that of TTFT or TPOT; in MultiStream that of the query latency. TTFT's is empty if TPOT's is not
	// met, because it is not evaluated then.
	EarlyStopping EarlyStopping
	// EarlyStopping99 is SingleStream's second, fixed estimate.
	EarlyStopping99 *EarlyStopping
}

// countTokens counts the tokens of a judged run and computes their rates.
func countTokens(p *testSeries, r *Result) *TokenResult {
	t := &TokenResult{}
	for i, n := range p.Tokens {
		if p.Done[i] >= 0 {
			t.Count += uint64(n)
		}
	}
	t.PerSec = ratePerSecond(int(t.Count), lastIssuedDone(p))
	t.WithOverhead = ratePerSecond(int(t.Count), p.lastIssue())
	if r.Latency.Mean > 0 {
		t.WithoutOverhead = float64(t.Count) / float64(r.Latency.N) / r.Latency.Mean.Seconds()
	}
	return t
}

// isMet reports whether Server's limit is met.
func (l *TokenLatency) isMet() bool { return l.Target.Latency <= l.Limit }

// decisiveStopping returns the early stopping of TPOT if it is not met, otherwise that of TTFT.
func (t *TokenResult) decisiveStopping() EarlyStopping {
	if !t.TPOT.EarlyStopping.Met {
		return t.TPOT.EarlyStopping
	}
	return t.TTFT.EarlyStopping
}

// measuredTokens is a TokenLatency and the values that it describes.
type measuredTokens struct {
	*TokenLatency
	values orderstat.Values
}

// inOrder lists TPOT and TTFT in the order in which their early stopping is evaluated.
func (t *TokenResult) inOrder(p *testSeries) []measuredTokens {
	return []measuredTokens{{&t.TPOT, outputTimes(p)}, {&t.TTFT, firstTokenTimes(p)}}
}

// fillSummary fills in the summary of d and returns the latencies at further ranks.
func (m measuredTokens) fillSummary(d latencyDistribution, percentile float64, ranks ...int) []time.Duration {
	summary, at := d.latenciesAt(append([]int{percentileRank(d.N, percentile)}, ranks...)...)
	m.Latency = summary
	m.Target = Percentile{P: percentile, Latency: at[0]}
	return at[1:]
}

// firstTokenTimes returns the times from the scheduled times to the first tokens of the answered samples.
func firstTokenTimes(p *testSeries) orderstat.Values {
	per := int(p.SamplesPerQuery)
	return orderstat.Values{N: len(p.Done), Chunk: func(buf []int64, from, to int) []int64 {
		for i := from; i < to; i++ {
			if p.Done[i] >= 0 {
				buf = append(buf, max(0, p.FirstToken[i]-p.Scheduled[i/per]))
			}
		}
		return buf
	}}
}

// outputTimes returns the times per token after the first of the answered samples.
func outputTimes(p *testSeries) orderstat.Values {
	return orderstat.Values{N: len(p.Done), Chunk: func(buf []int64, from, to int) []int64 {
		for i := from; i < to; i++ {
			if p.Done[i] >= 0 {
				buf = append(buf, max(0, p.Done[i]-p.FirstToken[i])/int64(p.Tokens[i]-1))
			}
		}
		return buf
	}}
}

// lastIssuedDone returns the completion time of the query issued last, or 0 if it was never completed.
func lastIssuedDone(p *testSeries) int64 {
	if p.Queries == 0 {
		return 0
	}
	last, _ := latestOf(p.Done[(p.Queries-1)*int(p.SamplesPerQuery):])
	return last
}

// inferTokens reports tokens that were not counted, if the settings request it. It assumes the same number of tokens
// for every sample.
func (r *Result) inferTokens(samplesPerSec float64) {
	if r.Requested.InferTokenLatencies {
		r.InferredTokensPerSec = float64(r.Requested.TokenLatencyScalingFactor) * samplesPerSec
	}
}

const (
	textTTFT = "TTFT constrain not met: Reduce target QPS to improve latency."
	textTPOT = "TPOT constrain not met: Reduce target QPS to improve latency."
)

// failedLimits returns the unmet limits with their official texts.
func (t *TokenResult) failedLimits() []failedCondition {
	var list []failedCondition
	if !t.TTFT.isMet() {
		list = append(list, failedCondition{reason: textTTFT + "\n", summary: textTTFT})
	}
	if !t.TPOT.isMet() {
		bullet := ""
		if len(list) > 0 {
			bullet = " * "
		}
		list = append(list, failedCondition{reason: bullet + textTPOT + "\n", summary: textTPOT})
	}
	return list
}
