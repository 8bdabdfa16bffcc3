package loadgen

import "fmt"

// tokenReasons explains which of the limits of a token run were missed.
func tokenReasons(p *series, r *Result) []Reason {
	var list []Reason
	if t := &r.Tokens.TTFT; !t.met() {
		r.Capacity = estimateCapacity(p, p.FirstToken, r.Effective, t.Limit)
		list = append(list, t.reason(ruleTTFT, "time to first token", behind(r)+rateHint(r, human(t.Limit))))
	}
	if t := &r.Tokens.TPOT; !t.met() {
		list = append(list, t.reason(ruleTPOT, "time per output token", outputHint(r)))
	}
	return list
}

func (l *TokenLatency) reason(rule, name, hint string) Reason {
	measured, limit := humanPair(l.Target.Latency, l.Limit)
	n := uint64(l.Latency.N)
	return Reason{
		Rule: rule,
		Measured: fmt.Sprintf("%s percentile %s %s; %s above the limit",
			percentileName(l.Target.P), name, measured, partOf(l.Over, n, "samples")),
		Needed: fmt.Sprintf("at most %s; at most %s samples above it", limit, grouped(mayBeOver(n, l.Target.P))),
		Hint:   hint,
	}
}

// outputHint says how many answers may be generated at a time, if their tokens take longer in proportion to that
// number.
func outputHint(r *Result) string {
	l := &r.Tokens.TPOT
	if l.Latency.Min > l.Limit {
		return fmt.Sprintf("Even the fastest sample took %s for each token: no target_qps meets the limit; generate "+
			"tokens faster.", human(l.Latency.Min))
	}
	atOnce := r.Latency.Mean.Seconds() * r.CompletedSamplesPerSec // Little's law
	may := atOnce * float64(l.Limit) / float64(l.Target.Latency)
	return fmt.Sprintf("About %s answers were generated at a time; if the time per token grows with that number, %s at "+
		"a time would pass: lower target_qps or the largest batch.",
		significant(max(atOnce, 1), 2), significant(max(may, 1), 2))
}
