package loadgen

import (
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
)

// stoppingEstimate describes the early-stopping estimate of a percentile of n latencies before the latencies are known.
type stoppingEstimate struct {
	percentile   float64
	n            uint64
	minLatencies uint64 // minimum number of latencies
	overLimit    uint64 // t of the criterion
	ok           bool   // n is large enough
	rank         int    // rank of the estimate in n sorted latencies; 0 if not ok
}

func estimateOf(n int, percentile float64) stoppingEstimate {
	e := stoppingEstimate{percentile: percentile, n: uint64(n)}
	c := earlystop.Rules(percentile)
	e.minLatencies = c.Required()
	if e.overLimit, e.ok = c.Discard(e.n); e.ok {
		e.rank = n - int(e.overLimit)
	}
	return e
}

// toEarlyStopping returns the estimate. at is the latency at its rank.
func (e stoppingEstimate) toEarlyStopping(at time.Duration) EarlyStopping {
	r := EarlyStopping{Met: e.ok, Percentile: e.percentile, QueriesProcessed: e.n, QueriesNeeded: e.minLatencies}
	if !e.ok {
		r.Text = fmt.Sprintf(" * Only processed %d queries.\n * Need to process at least %d queries for early stopping.",
			e.n, e.minLatencies)
		return r
	}
	r.Estimate = at
	r.Text = fmt.Sprintf(" * Processed at least %d queries (%d).\n * Would discard %d highest latency queries.\n%s",
		e.minLatencies, e.n, e.overLimit-1, e.estimateText(at))
	return r
}

// secondText returns SingleStream's line on its second, fixed percentile.
func (e stoppingEstimate) secondText(at time.Duration) string {
	if e.ok {
		return e.estimateText(at)
	}
	return fmt.Sprintf(" * Not enough queries processed for %s percentile\n early stopping estimate (would need "+
		"to process at\n least %d total queries).",
		percentileName(e.percentile), e.minLatencies)
}

func (e stoppingEstimate) estimateText(at time.Duration) string {
	return fmt.Sprintf(" * Early stopping %s percentile estimate: %d", percentileName(e.percentile), at.Nanoseconds())
}

// percentileName returns the name of a percentile in the logs: 90.0th.
func percentileName(p float64) string { return fmt.Sprintf("%.1fth", p*100) }

// serverEarlyStopping evaluates early stopping for n queries, of which over are above the limit.
func serverEarlyStopping(n, over uint64, percentile float64) EarlyStopping {
	missing := earlystop.Rules(percentile).Missing(n, over)
	r := EarlyStopping{
		Met: missing == 0, Percentile: percentile,
		QueriesProcessed: n, QueriesNeeded: n + missing, Overlatency: over,
	}
	if r.Met {
		r.Text = " * Run successful."
		return r
	}
	r.Text = strings.Join([]string{
		" * Run unsuccessful.",
		fmt.Sprintf(" * Processed %d queries.", n),
		fmt.Sprintf(" * Would need to run at least %d more queries,", missing),
		" with the run being successful if every additional",
		" query were under latency.",
	}, "\n")
	return r
}

// EarlyStoppingRank returns the rank, counted from 0, of a percentile's early-stopping estimate in n sorted latencies.
// percentile is a fraction in (0, 1). It is for load from other generators than LoadGen. needed is the minimum number
// of latencies for an estimate, and ok reports whether n is large enough.
func EarlyStoppingRank(n int, percentile float64) (rank int, needed uint64, ok bool) {
	e := estimateOf(n, percentile)
	return e.rank, e.minLatencies, e.ok
}
