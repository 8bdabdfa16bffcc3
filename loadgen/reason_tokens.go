package loadgen

import "fmt"

// tokenReasons explains which limits of a token run were missed.
func tokenReasons(p *testSeries, r *Result) []Reason {
	var list []Reason
	if t := &r.Tokens.TTFT; !t.isMet() {
		r.Capacity = estimateCapacity(p, p.FirstToken, r.Effective, t.Limit)
		list = append(list, t.makeReason(ruleTTFT, "time to first token", behindText(r)+rateHint(r, humanDuration(t.Limit))))
	}
	if t := &r.Tokens.TPOT; !t.isMet() {
		list = append(list, t.makeReason(ruleTPOT, "time per output token", outputHint(r)))
	}
	return list
}

func (l *TokenLatency) makeReason(rule, name, hint string) Reason {
	measured, limit := humanPair(l.Target.Latency, l.Limit)
	n := uint64(l.Latency.N)
	return Reason{
		Rule: rule,
		Measured: fmt.Sprintf("%s percentile %s %s; %s above the limit",
			percentileName(l.Target.P), name, measured, humanPart(l.Over, n, "samples")),
		Needed: fmt.Sprintf("at most %s; at most %s samples above it", limit, groupDigits(maxOver(n, l.Target.P))),
		Hint:   hint,
	}
}

// outputHint returns the number of concurrent answers that would meet the limit if the time per token is proportional
// to that number.
func outputHint(r *Result) string {
	l := &r.Tokens.TPOT
	if l.Latency.Min > l.Limit {
		return fmt.Sprintf("Even the fastest sample took %s for each token: no target_qps meets the limit; generate "+
			"tokens faster.", humanDuration(l.Latency.Min))
	}
	atOnce := r.Latency.Mean.Seconds() * r.CompletedSamplesPerSec // Little's law
	may := atOnce * float64(l.Limit) / float64(l.Target.Latency)
	return fmt.Sprintf("About %s answers were generated at a time; if the time per token grows with that number, %s at "+
		"a time would pass: lower target_qps or the largest batch.",
		roundSignificant(max(atOnce, 1), 2), roundSignificant(max(may, 1), 2))
}
