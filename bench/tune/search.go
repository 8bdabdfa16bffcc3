package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Measure runs one test of a setting that takes about d and returns its samples per second, above 0. An error other
// than the end of ctx counts as a fault of the setting, which then leaves the search.
type Measure func(ctx context.Context, s Setting, d time.Duration) (float64, error)

// Search finds the fastest setting of a grid. It measures all settings in short tests, the best quarter in longer ones,
// and the best of those in turns, so that other work on the machine affects all of them. It ends when no rival is
// likely to be more than Tolerance faster than the leader.
//
// The search may choose a rival that is slower than the best by up to Tolerance: the indifference zone of statistical
// selection procedures (Bechhofer 1954). It uses medians and order statistics of paired tests because disturbances slow
// a few tests greatly and most tests not at all.
type Search struct {
	Measure Measure
	// Time is the duration of a test in the final stage.
	Time time.Duration
	// Exhaustive measures every setting three times with tests of the final stage.
	Exhaustive bool
}

// Stage is a part of a search.
type Stage string

// The stages. Each one measures fewer settings than the previous stage, for longer.
const (
	Screen Stage = "short"
	Narrow Stage = "longer"
	Final  Stage = "final"
)

// Tolerance is the maximum relative difference between the fastest setting of the grid and the one found.
const Tolerance = 0.03

const (
	// screenShare and narrowShare are the divisors of Time that yield the durations of tests in the first two stages.
	screenShare = 4
	narrowShare = 2
	// hopelessShare is the minimum share of the best rate that a setting must reach in its first test to get a second
	// test.
	hopelessShare = 0.5
	// survivors is the divisor that yields the number of settings after the first stage. finalists is the number after the
	// second.
	survivors = 4
	finalists = 4
	// minRounds and maxRounds limit the rounds of the final stage. If rates of one setting differ by more than calm,
	// busyRounds is the minimum.
	minRounds  = 3
	busyRounds = 6
	maxRounds  = 9
	calm       = 0.1
)

// Found is the result of a search.
type Found struct {
	Points []Point // best first
	// Decided reports whether no other setting of the final stage is likely to be more than Tolerance faster than the
	// first.
	Decided bool
}

// ErrNothing means that no setting of the grid could be measured.
var ErrNothing = errors.New("no setting could be measured")

// Run searches the grid. If it returns an error, Found contains the earlier measurements.
func (s Search) Run(ctx context.Context, grid []Setting) (Found, error) {
	all := make([]*searchCandidate, len(grid))
	for i, setting := range grid {
		all[i] = &searchCandidate{setting: setting}
	}
	decided, err := s.runStages(ctx, all)
	sortFastest(all, medianOf)
	slices.SortStableFunc(all, func(a,
		b *searchCandidate) int {
		return boolToInt(b.isFinished()) - boolToInt(a.isFinished())
	})
	found := Found{Decided: decided}
	for _, c := range all {
		found.Points = append(found.Points, c.toPoint())
	}
	return found, err
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s Search) runStages(ctx context.Context, all []*searchCandidate) (decided bool, err error) {
	left := slices.Clone(all)
	if !s.Exhaustive {
		for _, stage := range []struct {
			name  Stage
			share time.Duration
			leave int
		}{{Screen, screenShare, max(finalists, len(all)/survivors)}, {Narrow, narrowShare, finalists}} {
			if len(left) <= stage.leave {
				continue
			}
			if left, err = s.selectBest(ctx, left, stage.name, s.Time/stage.share, stage.leave); err != nil {
				return false, err
			}
		}
	}
	return s.raceCandidates(ctx, left)
}

// selectBest measures each candidate, measures those that are not far behind again in reverse order, and returns
// the best ones. The faster of two tests counts, because a disturbance can only slow a test down.
func (s Search) selectBest(ctx context.Context, all []*searchCandidate, stage Stage, d time.Duration,
	leave int) ([]*searchCandidate, error) {
	if err := s.measureEach(ctx, stage, all, d); err != nil {
		return nil, err
	}
	sortFastest(all, slices.Max)
	again := all[:len(all):len(all)]
	for i, c := range all {
		if candidateValue(c, slices.Max) < hopelessShare*candidateValue(all[0], slices.Max) {
			again = all[:i]
			break
		}
	}
	again = slices.Clone(again)
	slices.Reverse(again)
	if err := s.measureEach(ctx, stage, again, d); err != nil {
		return nil, err
	}
	sortFastest(all, slices.Max)
	return usableCandidates(bestCandidates(all, leave))
}

// bestCandidates returns the first candidates and the plugin's own choice, with which results are compared.
func bestCandidates(all []*searchCandidate, leave int) []*searchCandidate {
	return slices.DeleteFunc(slices.Clone(all), func(c *searchCandidate) bool {
		return c.setting != Setting{} && slices.Index(all, c) >= leave
	})
}

// measureEach measures each candidate without a fault once.
func (s Search) measureEach(ctx context.Context, stage Stage, all []*searchCandidate, d time.Duration) error {
	for _, c := range all {
		if c.fault != nil {
			continue
		}
		rate, err := s.Measure(ctx, c.setting, d)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			c.fault, c.rates = err, nil
		case !(rate > 0) || math.IsInf(rate, 1):
			return fmt.Errorf("%v: measured %v samples/s, want a finite rate above 0", c.setting, rate)
		default:
			c.takeTest(stage, rate)
		}
	}
	return nil
}

// usableCandidates returns the candidates without a fault.
func usableCandidates(all []*searchCandidate) ([]*searchCandidate, error) {
	left := slices.DeleteFunc(slices.Clone(all), func(c *searchCandidate) bool { return c.fault != nil })
	if len(left) > 0 {
		return left, nil
	}
	faults := make([]error, len(all))
	for i, c := range all {
		faults[i] = fmt.Errorf("%v: %w", c.setting, c.fault)
	}
	return nil, fmt.Errorf("%w: %w", ErrNothing, errors.Join(faults...))
}
