package tune

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// Trial is a Server run at a rate.
type Trial struct {
	Setting
	TargetQPS float64 `json:"target_qps"`
	Valid     bool    `json:"valid"`
	// Reason says why the run was INVALID; empty: it was VALID.
	Reason string `json:"reason,omitempty"`
	// LatencyMS is the latency at the percentile that the limit holds for, in milliseconds; a run that was ended early
	// has that of its answered queries, 0 where none was.
	LatencyMS float64 `json:"latency_ms"`
	// Confirms says that the run was as long as one of harness run.
	Confirms bool `json:"confirms"`
	// Estimate is the highest rate that LoadGen expects to be VALID, from the times of this run; 0: none.
	Estimate float64 `json:"-"`
}

// Try runs Server at a rate, under the limits of latency that apply.
type Try func(ctx context.Context, qps float64) (Trial, error)

// RateSearch looks for the highest VALID rate of Server with few runs: each is made at the rate that is as likely too
// high as not, by what is known so far (probabilistic bisection), until hardly a rate more than Precision above one
// that was VALID can be; that one is confirmed.
type RateSearch struct {
	// Probe is a short run, Confirm one as it counts.
	Probe, Confirm Try
	// Probes bounds how many probes are made; 0: 12. Confirmations is how many runs in a row must be VALID at the rate;
	// 0: 1.
	Probes, Confirmations int
	// Most is the highest rate that is worth a probe above the bound, in queries per second; 0: any is.
	Most float64
	// Made are runs that were made before, at any rates: probes count on from them.
	Made []Trial
	// Shares are those of the rate that was found which are confirmed in turn, falling; nil: from all of it to a quarter.
	Shares []float64
	// Step is the least distance of two rates, all of which are multiples of it; 0: there is none.
	Step float64
	// Report, if not nil, sees each run.
	Report func(Trial)
}

// Precision is how much higher than the rate that was found the highest one may be.
const Precision = 0.05

const (
	// lowestShare and highestShare are the shares of the bound between which rates are tried: what a SUT that is idle for
	// most of the time does not answer in time, it does not at lower rates; and the bound was measured with some error.
	lowestShare, highestShare = 1.0 / 32, 2
	// steep is how fast higher rates than the bound become unlikely: with its power.
	steep = 20
	// sure is how likely it must be that no rate more than Precision above the one that was found is VALID.
	sure = 0.8
	// maxProbes is RateSearch.Probes, if that is 0; what doubles the rate does not count. maxDoublings bounds that: what
	// is a thousand times faster than it was measured to be was measured wrongly.
	maxProbes, maxDoublings = 12, 10
)

// stepsBack are the shares of the rate that was found which are tried in turn, until one is confirmed. Where two runs
// in a row must be VALID, those from backAgain on are tried rounds times: a machine that does other things, too,
// disturbs one of two runs soon, and is calm again later.
var stepsBack = [...]float64{1, 0.97, 0.94, 0.85, 0.7, 0.5, 0.35, 0.25}

const (
	backAgain = 2
	rounds    = 3
)

// ErrNoRate says that no rate was VALID.
var ErrNoRate = errors.New("no VALID rate was found")

// mayWait says that the runs are short enough to wait with some more until the machine is calm.
func (s RateSearch) mayWait() bool { return s.Confirmations > 1 }

// Find narrows down the highest rate, which bound, in queries per second, is about the most for, such as the throughput
// of Offline; known, above 0, is a rate that was VALID. It returns the highest rate that was, 0 where none was.
func (s RateSearch) Find(ctx context.Context, bound, known float64) (float64, error) {
	low, err := s.narrowRate(ctx, bound, known)
	if low == 0 && err == nil && s.mayWait() {
		return s.narrowRate(ctx, bound, known)
	}
	return low, err
}

// narrowRate is one search, from the beginning.
func (s RateSearch) narrowRate(ctx context.Context, bound, known float64) (float64, error) {
	b := newBelief(bound)
	b.step = s.Step
	if known > 0 {
		b.takeTrial(Trial{TargetQPS: known, Valid: true})
	}
	for _, t := range s.Made {
		b.takeTrial(t)
	}
	for range cmp.Or(s.Probes, maxProbes) {
		if b.narrowEnough() {
			break
		}
		t, err := s.tryRate(ctx, s.Probe, b.middleRate())
		if err != nil {
			return b.low, err
		}
		b.takeTrial(t)
		if b.exceedsBound() {
			if b, err = s.doubleRate(ctx, b); err != nil || b.low >= b.bound {
				return b.low, err // no top was met
			}
		}
	}
	return b.low, nil
}

// doubleRate tries twice the highest VALID rate until that is INVALID: the bound was none, the INVALID rate is one.
// Where none is INVALID the highest VALID rate stays above the bound.
func (s RateSearch) doubleRate(ctx context.Context, b *rateBelief) (*rateBelief, error) {
	for range maxDoublings {
		if s.Most > 0 && 2*b.low > s.Most {
			break
		}
		t, err := s.tryRate(ctx, s.Probe, 2*b.low)
		if err != nil {
			return b, err
		}
		if b.takeTrial(t); !t.Valid {
			return b.withBound(t.TargetQPS), nil
		}
	}
	return b, nil
}

// ConfirmOrLower runs at a rate that was found, and if that is not VALID at lower ones. It returns the one that was
// confirmed, with ErrNoRate where none was.
func (s RateSearch) ConfirmOrLower(ctx context.Context, rate float64) (float64, error) {
	if rate <= 0 {
		return 0, ErrNoRate
	}
	for _, share := range s.triedShares() {
		valid, err := s.isConfirmed(ctx, share*rate)
		if valid || err != nil {
			return share * rate, err
		}
	}
	return 0, ErrNoRate
}

// triedShares are those of the rate that was found which are tried in turn.
func (s RateSearch) triedShares() []float64 {
	if s.Shares != nil {
		return s.Shares
	}
	all := stepsBack[:]
	for round := 1; round < rounds && s.mayWait(); round++ {
		all = slices.Concat(all, stepsBack[backAgain:])
	}
	return all
}

// isConfirmed says whether enough runs in a row are VALID at a rate. Where one is not, at no rate by LoadGen's
// estimate, that was not the rate's fault: there is another try.
func (s RateSearch) isConfirmed(ctx context.Context, rate float64) (bool, error) {
	t, err := s.runRow(ctx, rate)
	if err == nil && !t.Valid && !(t.Estimate > 0) && s.mayWait() {
		t, err = s.runRow(ctx, rate)
	}
	return t.Valid && err == nil, err
}

// runRow makes as many runs as must be VALID in a row, up to the first that is not, and returns the last.
func (s RateSearch) runRow(ctx context.Context, rate float64) (t Trial, err error) {
	for range cmp.Or(s.Confirmations, 1) {
		if t, err = s.tryRate(ctx, s.Confirm, rate); err != nil || !t.Valid {
			break
		}
	}
	return t, err
}

func (s RateSearch) tryRate(ctx context.Context, run Try, rate float64) (Trial, error) {
	t, err := run(ctx, rate)
	if err == nil && s.Report != nil {
		s.Report(t)
	}
	return t, err
}
