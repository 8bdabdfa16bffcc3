package loadgen

import (
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
)

// stoppingEstimate is the early-stopping estimate of a percentile over n latencies, before their values are known.
type stoppingEstimate struct {
	percentile float64
	n          uint64
	need       uint64 // the least number of latencies
	over       uint64 // t of the criterion
	ok         bool   // n is enough
	rank       int    // of the latency that is the estimate, among n sorted; 0 where it is not ok
}

func estimateOf(n int, percentile float64) stoppingEstimate {
	e := stoppingEstimate{percentile: percentile, n: uint64(n)}
	c := earlystop.Rules(percentile)
	e.need = c.Required()
	if e.over, e.ok = c.Discard(e.n); e.ok {
		e.rank = n - int(e.over)
	}
	return e
}

// toEarlyStopping is the estimate once the latency at its rank is known.
func (e stoppingEstimate) toEarlyStopping(at time.Duration) EarlyStopping {
	r := EarlyStopping{Met: e.ok, Percentile: e.percentile, QueriesProcessed: e.n, QueriesNeeded: e.need}
	if !e.ok {
		r.Text = fmt.Sprintf(" * Only processed %d queries.\n * Need to process at least %d queries for early stopping.",
			e.n, e.need)
		return r
	}
	r.Estimate = at
	r.Text = fmt.Sprintf(" * Processed at least %d queries (%d).\n * Would discard %d highest latency queries.\n%s",
		e.need, e.n, e.over-1, e.estimateText(at))
	return r
}

// secondText is SingleStream's line on its second, fixed percentile.
func (e stoppingEstimate) secondText(at time.Duration) string {
	if e.ok {
		return e.estimateText(at)
	}
	return fmt.Sprintf(" * Not enough queries processed for %s percentile\n early stopping estimate (would need "+
		"to process at\n least %d total queries).",
		percentileName(e.percentile), e.need)
}

func (e stoppingEstimate) estimateText(at time.Duration) string {
	return fmt.Sprintf(" * Early stopping %s percentile estimate: %d", percentileName(e.percentile), at.Nanoseconds())
}

// percentileName is the logs' name of a percentile: 90.0th.
func percentileName(p float64) string { return fmt.Sprintf("%.1fth", p*100) }

// serverEarlyStopping judges n queries of which over lie above the limit.
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

// EarlyStoppingRank is where the early-stopping estimate of a percentile, a fraction of (0, 1), stands among n sorted
// latencies, counted from 0: for load that is not LoadGen's. needed is the least number of latencies that have one; ok
// says that n are enough.
func EarlyStoppingRank(n int, percentile float64) (rank int, needed uint64, ok bool) {
	e := estimateOf(n, percentile)
	return e.rank, e.need, e.ok
}
