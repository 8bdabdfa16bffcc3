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
	// Reason explains why the run was INVALID; "": it was VALID.
	Reason string `json:"reason,omitempty"`
	// LatencyMS is the latency at the percentile of the limit, in milliseconds. For a run that stopped early, it covers
	// the answered queries; 0 if there were none.
	LatencyMS float64 `json:"latency_ms"`
	// Confirms states that the run was as long as a run of harness run.
	Confirms bool `json:"confirms"`
	// Estimate is the highest rate that LoadGen expects to be VALID, computed from the latencies of this run; 0: none.
	Estimate float64 `json:"-"`
}

// Try runs Server at a rate, with the latency limits that apply.
type Try func(ctx context.Context, qps float64) (Trial, error)

// RateSearch finds the highest VALID rate of Server with few runs (probabilistic bisection). Each run uses the rate
// that is equally likely to be too high or not, given the earlier runs. The search ends when a VALID rate more than
// Precision above the highest VALID one is very unlikely. It then confirms that rate.
type RateSearch struct {
	// Probe executes a short run. Confirm executes a run of full length.
	Probe, Confirm Try
	// Probes is the maximum number of probes; 0: 12. Confirmations is the number of consecutive runs that must be VALID at
	// the rate; 0: 1.
	Probes, Confirmations int
	// Most is the maximum rate of probes above the bound, in queries per second; 0: no maximum.
	Most float64
	// Made contains earlier runs at any rates. The search takes them into account.
	Made []Trial
	// Shares contains the shares of the rate found to confirm in turn, descending; nil: from 1 down to a quarter.
	Shares []float64
	// Step is the minimum distance of two rates, which are multiples of it; 0: none.
	Step float64
	// Report, if not nil, is called with each run.
	Report func(Trial)
}

// Precision is the maximum relative difference between the highest VALID rate and the rate found.
const Precision = 0.05

const (
	// lowestShare and highestShare limit the rates to try, as shares of the bound. A SUT that misses its limits although
	// it is mostly idle also misses them at lower rates. The bound was measured with some error.
	lowestShare, highestShare = 1.0 / 32, 2
	// steep determines how quickly rates above the bound become unlikely: it is the exponent of a power law.
	steep = 20
	// requiredCertainty is the required probability that no rate more than Precision above the one found is VALID.
	requiredCertainty = 0.8
	// maxProbes is the default of RateSearch.Probes, which excludes runs that double the rate. maxDoublings limits the
	// latter: a measurement that is too low by a factor of a thousand is wrong.
	maxProbes, maxDoublings = 12, 10
)

// stepsBack contains the shares of the rate found to try in turn until one is confirmed. If two consecutive runs must
// be VALID, the shares from index repeatFrom on are tried repeatRounds times: on a busy machine one of two runs is soon
// disturbed, but the machine may be idle later.
var stepsBack = [...]float64{1, 0.97, 0.94, 0.85, 0.7, 0.5, 0.35, 0.25}

const (
	repeatFrom   = 2
	repeatRounds = 3
)

// ErrNoRate means that no rate was VALID.
var ErrNoRate = errors.New("no VALID rate was found")

// mayRepeat reports whether the runs are short enough to repeat them until the machine is idle.
func (s RateSearch) mayRepeat() bool { return s.Confirmations > 1 }

// Find narrows down the highest VALID rate. bound, in queries per second, is an approximate upper limit, such as the
// throughput of Offline. If known is above 0, it is a rate that was VALID. It returns the highest VALID rate; 0: none.
func (s RateSearch) Find(ctx context.Context, bound, known float64) (float64, error) {
	low, err := s.narrowRate(ctx, bound, known)
	if low == 0 && err == nil && s.mayRepeat() {
		return s.narrowRate(ctx, bound, known)
	}
	return low, err
}

// narrowRate executes one search from the beginning.
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
			return b.highestValid, err
		}
		b.takeTrial(t)
		if b.exceedsBound() {
			if b, err = s.doubleRate(ctx, b); err != nil || b.highestValid >= b.bound {
				return b.highestValid, err // no rate was too high
			}
		}
	}
	return b.highestValid, nil
}

// doubleRate doubles the highest VALID rate until a rate is INVALID, because the bound was too low. The INVALID rate
// becomes the bound. If no rate is INVALID, the highest VALID rate stays above the bound.
func (s RateSearch) doubleRate(ctx context.Context, b *rateBelief) (*rateBelief, error) {
	for range maxDoublings {
		if s.Most > 0 && 2*b.highestValid > s.Most {
			break
		}
		t, err := s.tryRate(ctx, s.Probe, 2*b.highestValid)
		if err != nil {
			return b, err
		}
		if b.takeTrial(t); !t.Valid {
			return b.withBound(t.TargetQPS), nil
		}
	}
	return b, nil
}

// ConfirmOrLower confirms a rate that was found or, if it is not VALID, a lower one. It returns the confirmed rate, or
// ErrNoRate if there is none.
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

// triedShares returns the shares of the rate found that are tried in turn.
func (s RateSearch) triedShares() []float64 {
	if s.Shares != nil {
		return s.Shares
	}
	all := stepsBack[:]
	for round := 1; round < repeatRounds && s.mayRepeat(); round++ {
		all = slices.Concat(all, stepsBack[repeatFrom:])
	}
	return all
}

// isConfirmed reports whether enough consecutive runs are VALID at a rate. If a run fails although LoadGen's estimate
// shows that the rate was not the reason, it tries again.
func (s RateSearch) isConfirmed(ctx context.Context, rate float64) (bool, error) {
	t, err := s.runRow(ctx, rate)
	if err == nil && !t.Valid && !(t.Estimate > 0) && s.mayRepeat() {
		t, err = s.runRow(ctx, rate)
	}
	return t.Valid && err == nil, err
}

// runRow executes the required number of consecutive runs, stops at the first INVALID one, and returns the last run.
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
