package loadgen

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/capacity"
	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
)

// Capacity is an estimate of the SUT's capacity, made from the times of a Server run that missed its limit. The model
// is a queue in front of servers that each process one query at a time. The number of servers is the one that fits the
// times best. The estimate sends the same queries with the same service times through that queue at other rates. If a
// SUT's queries become slower or faster with the load, as with batching, it does not follow the model exactly.
type Capacity struct {
	Servers int           // number of queries that the SUT processes at a time
	Service time.Duration // mean time of a query without waiting
	// QPS is the approximate maximum rate at which the run would have met the latency limit and early stopping. It is 0 if
	// TooSlow queries are enough to miss them at any rate.
	QPS     float64
	TooSlow uint64 // number of queries that take longer than the limit even without waiting
	Queries uint64 // number of queries used for the estimate
}

// maxEstimated is the maximum number of queries used for an estimate. It keeps the computing time at some hundredths of
// a second.
const maxEstimated = 20_000

// estimateCapacity estimates the capacity from the times between scheduled and done of a run in which too many queries
// took longer than limit. It returns nil if no query was answered.
func estimateCapacity(p *testSeries, done []int64, e EffectiveSettings, limit time.Duration) *Capacity {
	arrive, done := worstSection(p.Scheduled, done, int64(limit))
	if len(arrive) == 0 {
		return nil
	}
	c := explainCapacity(arrive, done, e, limit)
	if c.QPS == 0 {
		if spread, size := capacity.Unbatch(arrive, done); size > minBatch {
			c = explainCapacity(arrive, spread, e, limit)
		}
	}
	return c
}

// minBatch is the mean number of queries answered together from which a SUT counts as batching.
const minBatch = 1.5

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

// forgivenOf returns how many of n queries may be late to meet the percentile and early stopping. If n is too small for
// early stopping in any case, early stopping is not considered.
func forgivenOf(e EffectiveSettings, n uint64) uint64 {
	if n < earlystop.Rules(e.TargetLatencyPercentile).MinPassing(0) {
		e.NoEarlyStopping = true
	}
	return allowedLate(e, n)
}

// worstSection copies the times of the answered queries. If there are many queries, it copies only the section with the
// most late ones.
func worstSection(scheduled, done []int64, limit int64) (arrive, answered []int64) {
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

// enoughQueries returns the number of queries that meet early stopping with the same share of late queries as over of
// n. ok is false if the run would have to be more than maxRunFactor times as long.
func enoughQueries(n, over uint64, percentile float64) (enough uint64, ok bool) {
	c := earlystop.Rules(percentile)
	met := func(k uint64) bool { return c.Missing(k, (over*k+n-1)/n) == 0 }
	high := n
	for !met(high) {
		if high *= 2; high > maxRunFactor*n {
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

// maxRunFactor is the maximum factor by which a hint extends a run. If a run would have to be even longer, a lower rate
// is the better advice.
const maxRunFactor = 16
