package loadgen

import (
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
)

// TokenProgress contains the measurements of a token run so far. It is zero in other runs and before the first answer.
type TokenProgress struct {
	PerSec float64 // tokens of the completed samples per elapsed second
	// TTFT and TPOT are the values at the target percentile of the samples so far. They are 0 in Offline.
	TTFT, TPOT time.Duration
}

// tokenProgress estimates from up to maxSampled of the first n samples, of which done are answered.
func (x *queryIssuer) tokenProgress(n, done uint64, elapsed time.Duration, percentile float64) TokenProgress {
	if x.recordKind == record.Latencies || elapsed <= 0 {
		return TokenProgress{}
	}
	var out TokenProgress
	var count, answered uint64
	var ttft, tpot []int64
	for i := uint64(0); i < n; i += max(1, (n+maxSampled-1)/maxSampled) {
		first, tokens := x.rec.TokensOf(i)
		if first != 0 {
			ttft = append(ttft, first-x.scheduled[i/uint64(x.plan.SamplesPerQuery)])
		}
		if tokens == 0 {
			continue
		}
		count, answered = count+uint64(tokens), answered+1
		if first != 0 {
			tpot = append(tpot, (x.rec.Done(i)-first)/int64(tokens-1))
		}
	}
	if answered > 0 {
		out.PerSec = float64(count) / float64(answered) * float64(done) / elapsed.Seconds()
	}
	out.TTFT, out.TPOT = atPercentile(ttft, percentile), atPercentile(tpot, percentile)
	return out
}

// atPercentile returns the value at a percentile, or 0 if there are no values. It reorders them.
func atPercentile(values []int64, percentile float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return time.Duration(values[min(len(values)-1, int(float64(len(values))*percentile))])
}
