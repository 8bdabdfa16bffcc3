package loadgen

import (
	"fmt"
	"sort"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// hopelessPlan returns the reason why a Server series with this plan can only end INVALID for any SUT, or "". Queries
// are issued when they are due or later, so the limits of the run allow no more than the first queries.
func hopelessPlan(e EffectiveSettings, plan schedule.Plan, threads int) string {
	if why := whyHopeless(e, uint64(plan.Queries)); why != "" {
		return why
	}
	n, limit := issuableQueries(e, plan, threads)
	if n == 0 || n == uint64(plan.Queries) {
		return ""
	}
	last := time.Duration(plan.Scheduled[n-1])
	switch {
	case n < e.MinQueryCount:
		return fmt.Sprintf("%s ends the run after at most %s queries, before min_query_count = %d is reached",
			limit, groupDigits(n), e.MinQueryCount)
	case last < e.MinDuration:
		return fmt.Sprintf("%s ends the run with a query that is due after %s, before min_duration = %s is reached",
			limit, humanDuration(last), humanDuration(e.MinDuration))
	case n < minQueries(e):
		return fmt.Sprintf("%s ends the run after at most %s queries, and early stopping needs %s for the %s percentile",
			limit, groupDigits(n), groupDigits(minQueries(e)), percentileName(e.TargetLatencyPercentile))
	}
	return ""
}

// issuableQueries returns the maximum number of issued queries of the plan, and the limit that ends the run after them.
// Each issuing thread ends after its first query beyond max_duration.
func issuableQueries(e EffectiveSettings, plan schedule.Plan, threads int) (n uint64, limit string) {
	n = uint64(plan.Queries)
	if e.MaxDuration > 0 {
		inTime := sort.Search(plan.Queries, func(q int) bool { return plan.Scheduled[q] > int64(e.MaxDuration) })
		if most := uint64(inTime + threads); most < n {
			n, limit = most, "max_duration = "+humanDuration(e.MaxDuration)
		}
	}
	if e.MaxQueryCount > 0 && e.MaxQueryCount < n {
		n, limit = e.MaxQueryCount, fmt.Sprintf("max_query_count = %d", e.MaxQueryCount)
	}
	return n, limit
}
