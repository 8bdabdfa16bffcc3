package tune

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// Trial is a Server run at a rate.
type Trial struct {
	Setting
	TargetQPS float64 `json:"target_qps"`
	Valid     bool    `json:"valid"`
	// LatencyMS is the latency at the percentile that the limit holds for, in milliseconds; a run that was ended early
	// has that of its answered queries.
	LatencyMS float64 `json:"latency_ms"`
	// Confirms says that the run was as long as one of harness run.
	Confirms bool `json:"confirms"`
	// Estimate is the highest rate that LoadGen expects to be VALID, from the times of this run; 0: none.
	Estimate float64 `json:"-"`
}

// Try runs Server at a rate, under the limits of latency that apply.
type Try func(ctx context.Context, qps float64) (Trial, error)

// RateSearch looks for the highest VALID rate of Server with few runs: below an upper bound it brackets the rate between
// one that is VALID and one that is not, narrows the bracket to Precision, and confirms what it found.
type RateSearch struct {
	// Probe is a short run, Confirm one as it counts.
	Probe, Confirm Try
	// Probes bounds how many probes are made; 0: 10. Confirmations is how many runs in a row must be VALID at the rate;
	// 0: 1.
	Probes, Confirmations int
	// Report, if not nil, sees each run.
	Report func(Trial)
}

// Precision is how much higher than the rate that was found the lowest rate is that was not VALID.
const Precision = 0.05

const (
	// firstShare of the bound is the first rate, secondShare the second one where that was VALID.
	firstShare  = 0.8
	secondShare = 0.95
	// beyond is the growth from there on: the bound was measured with some error.
	beyond = 1.08
	// deepest is how much lower a rate is at least and at most after the lowest tried was not VALID.
	shallow, deepest = 0.85, 0.125
	// trusted is the factor that an estimate is taken to be right within.
	trusted = 1.2
	// least is the share of the bound below which no rate is tried: what a SUT that is idle for most of the time does not
	// answer in time, it does not answer in time at lower rates.
	least = 1.0 / 32
	// mostProbes is RateSearch.Probes, if that is 0; mostRates is how many rates are tried until one is confirmed.
	mostProbes = 10
	mostRates  = 3
	// stepBack is the share of a rate that is tried where it was not confirmed.
	stepBack = 0.97
)

// ErrNoRate says that no rate was VALID.
var ErrNoRate = errors.New("no VALID rate was found")

// Find brackets the rate below bound, a rate in queries per second that is about the most that can be served, such as the
// throughput of Offline; known, above 0, is a rate that was VALID. It returns the highest rate that was, 0 where none was.
func (s RateSearch) Find(ctx context.Context, bound, known float64) (float64, error) {
	b := bracket{low: known, bound: bound}
	for range cmp.Or(s.Probes, mostProbes) {
		if b.closed() {
			break
		}
		rate := b.next()
		if rate < least*bound {
			break
		}
		t, err := s.try(ctx, s.Probe, rate)
		if err != nil {
			return b.low, err
		}
		b.take(rate, t)
	}
	return b.low, nil
}

// Settle runs at a rate that was found, and if that is not VALID at somewhat lower ones. It returns the one that was
// confirmed, with ErrNoRate where none was.
func (s RateSearch) Settle(ctx context.Context, rate float64) (float64, error) {
	if rate <= 0 {
		return 0, ErrNoRate
	}
	for range mostRates {
		valid, err := s.confirmed(ctx, rate)
		if valid || err != nil {
			return rate, err
		}
		rate *= stepBack
	}
	return 0, ErrNoRate
}

func (s RateSearch) confirmed(ctx context.Context, rate float64) (bool, error) {
	for range cmp.Or(s.Confirmations, 1) {
		if t, err := s.try(ctx, s.Confirm, rate); err != nil || !t.Valid {
			return false, err
		}
	}
	return true, nil
}

func (s RateSearch) try(ctx context.Context, run Try, rate float64) (Trial, error) {
	t, err := run(ctx, rate)
	if err == nil && s.Report != nil {
		s.Report(t)
	}
	return t, err
}

// bracket is what is known of the highest VALID rate.
type bracket struct {
	bound  float64
	low    float64 // the highest VALID rate; 0: none
	failed []miss  // the rates above it that were not VALID, the lowest last
}

// miss is a rate that was not VALID.
type miss struct {
	rate, estimate float64
	times          int
}

// high is the lowest rate that was not VALID; without one, at +Inf.
func (b *bracket) high() miss {
	if len(b.failed) == 0 {
		return miss{rate: math.Inf(1)}
	}
	return b.failed[len(b.failed)-1]
}

func (b *bracket) narrow() bool { return b.high().rate <= b.low*(1+Precision) }

// closed says that the bracket is narrow, and that its upper end is no accident: what disturbs a machine for a moment
// makes a run INVALID at any rate.
func (b *bracket) closed() bool { return b.narrow() && b.high().times > 1 }

// next is the rate to try next.
func (b *bracket) next() float64 {
	high := b.high()
	switch {
	case b.narrow():
		return high.rate
	case b.low == 0 && len(b.failed) == 0:
		return firstShare * b.bound
	case b.low == 0:
		if high.estimate > 0 {
			return min(max(high.estimate, deepest*high.rate), shallow*high.rate)
		}
		return high.rate / 2
	case len(b.failed) == 0:
		return max(secondShare*b.bound, beyond*b.low)
	}
	return b.between(high)
}

// between is a rate inside the bracket: the estimate of the run above where it is not near an end, else not far above
// the lower end where that is the estimate, else the geometric mean.
func (b *bracket) between(high miss) float64 {
	middle := math.Sqrt(b.low * high.rate)
	switch {
	case high.estimate > b.low:
		return min(max(high.estimate, math.Sqrt(b.low*middle)), math.Sqrt(middle*high.rate))
	case high.estimate > b.low/trusted:
		return min(middle, trusted*b.low)
	}
	return middle
}

// take notes the outcome of a run. One that is VALID says that lower ones which were not were disturbed.
func (b *bracket) take(rate float64, t Trial) {
	n := len(b.failed)
	switch {
	case t.Valid:
		b.low = rate
		b.failed = slices.DeleteFunc(b.failed, func(m miss) bool { return m.rate <= rate })
	case n > 0 && b.failed[n-1].rate == rate:
		b.failed[n-1].times++
	default:
		b.failed = append(b.failed, miss{rate, t.Estimate, 1})
	}
}
