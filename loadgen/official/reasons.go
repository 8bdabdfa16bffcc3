package official

import (
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// reasons explains an INVALID verdict with the conditions that the log reports as not met. advice is the official text.
func reasons(r *loadgen.Result, advice string) []loadgen.Reason {
	if r.Verdict != loadgen.Invalid {
		return nil
	}
	var list []loadgen.Reason
	add := func(met bool, rule, measured, needed string) {
		if !met {
			list = append(list, loadgen.Reason{Rule: rule, Measured: measured, Needed: needed, Hint: advice})
		}
	}
	e := r.Effective
	if t := r.Tokens; t != nil && !r.PerformanceConstraintsMet {
		add(t.TTFT.Target.Latency <= t.TTFT.Limit, "ttft", "time to first token "+t.TTFT.Target.Latency.String(),
			"at most "+t.TTFT.Limit.String())
		add(t.TPOT.Target.Latency <= t.TPOT.Limit, "tpot", "time per output token "+t.TPOT.Target.Latency.String(),
			"at most "+t.TPOT.Limit.String())
	} else {
		add(r.PerformanceConstraintsMet, "latency", fmt.Sprintf("%gth percentile latency %v; %d queries above the limit",
			100*r.TargetPercentile.P, r.TargetPercentile.Latency, r.OverlatencyCount), "at most "+e.TargetLatency.String())
	}
	add(r.MinDurationMet, "min_duration", r.Duration.String(), "at least "+e.MinDuration.String())
	issued := "fewer queries" // a log before v1.1 does not contain the number
	if r.QueryCount > 0 {
		issued = strconv.FormatUint(r.QueryCount, 10) + " queries"
	}
	add(r.MinQueriesMet, "min_query_count", issued,
		fmt.Sprintf("at least %d queries", e.MinQueryCount))
	add(r.EarlyStoppingMet, "early_stopping", issued, r.EarlyStopping.Text)
	return list
}
