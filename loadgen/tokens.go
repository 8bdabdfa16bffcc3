package loadgen

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// TokenResult is what a token run (UseTokenLatencies) measured beside its latencies.
type TokenResult struct {
	Count uint64 // tokens of all answered samples
	// TTFT is the time to the first token, from the scheduled time, and TPOT the time per output token after the first:
	// (completion - first token) / (tokens - 1), truncated to whole nanoseconds. Both are per sample; Offline has none.
	TTFT, TPOT TokenLatency
	// PerSec is the headline: all tokens over the time to the completion of the last query, in Offline over the
	// longest latency. WithOverhead is over the time to the last query's issue, WithoutOverhead over the sum of the
	// latencies.
	PerSec, WithOverhead, WithoutOverhead float64
}

// TokenLatency is TTFT or TPOT.
type TokenLatency struct {
	Latency LatencySummary
	Target  Percentile    // at the scenario's target percentile
	Limit   time.Duration // Server
	Over    uint64        // Server: samples above Limit
	// EarlyStopping is of TTFT or TPOT; in MultiStream of the query latency. That of TTFT is empty where TPOT's is not
	// met: it is not evaluated then.
	EarlyStopping EarlyStopping
	// EarlyStopping99 is SingleStream's second, fixed estimate.
	EarlyStopping99 *EarlyStopping
}

// countTokens counts the tokens of a judged run, and computes their rates.
func countTokens(p *testSeries, r *Result) *TokenResult {
	t := &TokenResult{}
	for i, n := range p.Tokens {
		if p.Done[i] >= 0 {
			t.Count += uint64(n)
		}
	}
	t.PerSec = ratePerSecond(int(t.Count), lastCompletion(p))
	t.WithOverhead = ratePerSecond(int(t.Count), p.lastIssue())
	if r.Latency.Mean > 0 {
		t.WithoutOverhead = float64(t.Count) / float64(r.Latency.N) / r.Latency.Mean.Seconds()
	}
	return t
}

// isMet says whether Server's limit is kept.
func (l *TokenLatency) isMet() bool { return l.Target.Latency <= l.Limit }

// decisiveStopping is the early stopping of TPOT if it is not met, else that of TTFT.
func (t *TokenResult) decisiveStopping() EarlyStopping {
	if !t.TPOT.EarlyStopping.Met {
		return t.TPOT.EarlyStopping
	}
	return t.TTFT.EarlyStopping
}

// measuredTokens is a TokenLatency and what it describes.
type measuredTokens struct {
	*TokenLatency
	values orderstat.Values
}

// inOrder lists TPOT and TTFT in the order in which their early stopping is evaluated.
func (t *TokenResult) inOrder(p *testSeries) []measuredTokens {
	return []measuredTokens{{&t.TPOT, outputTimes(p)}, {&t.TTFT, firstTokenTimes(p)}}
}

// fillSummary describes d and returns the latencies at further ranks.
func (m measuredTokens) fillSummary(d latencyDistribution, percentile float64, ranks ...int) []time.Duration {
	summary, at := d.latenciesAt(append([]int{percentileRank(d.N, percentile)}, ranks...)...)
	m.Latency = summary
	m.Target = Percentile{P: percentile, Latency: at[0]}
	return at[1:]
}

// firstTokenTimes are the times from the scheduled times to the first tokens of the answered samples.
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

// outputTimes are the times per token after the first of the answered samples.
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

// lastCompletion is when the query issued last was completed, 0 where that never came.
func lastCompletion(p *testSeries) int64 {
	if p.Queries == 0 {
		return 0
	}
	last, _ := lastOf(p.Done[(p.Queries-1)*int(p.SamplesPerQuery):])
	return last
}

// inferTokens reports tokens that nobody counted, if that is asked for: every sample is taken to have as many.
func (r *Result) inferTokens(samplesPerSec float64) {
	if r.Requested.InferTokenLatencies {
		r.InferredTokensPerSec = float64(r.Requested.TokenLatencyScalingFactor) * samplesPerSec
	}
}

const (
	textTTFT = "TTFT constrain not met: Reduce target QPS to improve latency."
	textTPOT = "TPOT constrain not met: Reduce target QPS to improve latency."
)

// failedLimits are the unmet limits with their official texts.
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
