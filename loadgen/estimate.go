package loadgen

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/capacity"
	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
)

// Capacity is an estimate of the SUT's capacity from the times of a Server run that missed its limit. The model is a
// queue before servers that each work on one query at a time; their number is the one that fits the times best. The
// same queries with the same service times then pass through that queue at other rates. A SUT whose queries become
// slower or faster with the load, such as one that batches, does not follow that model exactly.
type Capacity struct {
	Servers int           // queries that the SUT works on at a time
	Service time.Duration // mean time of a query without waiting
	// QPS is about the highest rate at which the latency limit and early stopping would have been met; 0 where TooSlow
	// queries alone miss them at any rate.
	QPS     float64
	TooSlow uint64 // queries that take longer than the limit without waiting
	Queries uint64 // the queries that the estimate is made from
}

// maxEstimated bounds the queries that an estimate looks at, so that it takes some hundredths of a second.
const maxEstimated = 20_000

// estimateCapacity explains the times from the scheduled ones to done, of a run in which too many queries took longer
// than limit. It is nil without a query that was answered.
func estimateCapacity(p *testSeries, done []int64, e EffectiveSettings, limit time.Duration) *Capacity {
	arrive, done := worstPart(p.Scheduled, done, int64(limit))
	if len(arrive) == 0 {
		return nil
	}
	c := explainCapacity(arrive, done, e, limit)
	if c.QPS == 0 {
		if spread, size := capacity.Unbatch(arrive, done); size > batching {
			c = explainCapacity(arrive, spread, e, limit)
		}
	}
	return c
}

// batching is the mean number of queries that are answered together from which a SUT is taken to work on batches.
const batching = 1.5

// explainCapacity fits the model to times.
func explainCapacity(arrive, done []int64, e EffectiveSettings, limit time.Duration) *Capacity {
	m := capacity.Fit(arrive, done)
	c := &Capacity{
		Servers: m.Servers, Service: time.Duration(m.Service()),
		TooSlow: uint64(m.Late(math.Inf(1), int64(limit))), Queries: uint64(len(arrive)),
	}
	if stretch, ok := m.Stretch(int64(limit), int(forgivenOf(e, c.Queries))); ok {
		c.QPS = e.TargetQPS / stretch
	}
	return c
}

// forgivenOf is how many of n queries may be late: fewer than the percentile allows, as early stopping wants it; but
// not where n are too few for early stopping whatever their times.
func forgivenOf(e EffectiveSettings, n uint64) uint64 {
	if n < earlystop.Rules(e.TargetLatencyPercentile).MinPassing(0) {
		e.NoEarlyStopping = true
	}
	return allowedLate(e, n)
}

// worstPart copies the times of the queries that were answered; of many queries, a stretch with the most late ones.
func worstPart(scheduled, done []int64, limit int64) (arrive, answered []int64) {
	from, most := 0, -1
	for start := 0; start < len(done); start += maxEstimated {
		late := 0
		for i := start; i < min(start+maxEstimated, len(done)); i++ {
			if done[i]-scheduled[i] > limit {
				late++
			}
		}
		if late > most {
			from, most = start, late
		}
	}
	for i := from; i < min(from+maxEstimated, len(done)); i++ {
		if done[i] >= 0 {
			arrive, answered = append(arrive, scheduled[i]), append(answered, done[i])
		}
	}
	return arrive, answered
}

// enoughQueries is how many queries meet early stopping with the same share of late ones as over of n; ok is false
// where a run would have to be more than longerRun times as long.
func enoughQueries(n, over uint64, percentile float64) (enough uint64, ok bool) {
	c := earlystop.Rules(percentile)
	met := func(k uint64) bool { return c.Missing(k, (over*k+n-1)/n) == 0 }
	high := n
	for !met(high) {
		if high *= 2; high > longerRun*n {
			return 0, false
		}
	}
	low := high / 2
	for high-low > 1 {
		if mid := low + (high-low)/2; met(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, true
}

// longerRun bounds how much longer a run a reader is asked for: beyond it a lower rate is the better advice.
const longerRun = 16
