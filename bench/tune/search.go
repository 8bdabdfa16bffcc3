package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// Measure runs one test of a setting that takes about d, and returns its samples per second, above 0. An error that is
// not the end of ctx is taken as the setting's own fault: it leaves the search.
type Measure func(ctx context.Context, s Setting, d time.Duration) (float64, error)

// Search looks for the fastest setting of a grid: all are measured in short tests, the best quarter in longer ones, and
// the best of those in turns, test after test, so that what else the machine does meets all of them. It ends when no
// rival is likely to be more than Tolerance faster than the leader.
//
// That a rival may be chosen that is Tolerance slower than the best is the indifference zone of statistics' selection
// procedures (Bechhofer 1954); the medians and order statistics of paired tests are taken because what disturbs a
// machine slows some tests much and most of them not at all.
type Search struct {
	Measure Measure
	// Time is how long a test of the final takes.
	Time time.Duration
	// Exhaustive measures every setting as long as those of the final, three times.
	Exhaustive bool
}

// Stage is a part of a search.
type Stage string

// Each stage measures fewer settings than the one before, for longer.
const (
	Screen Stage = "short"
	Narrow Stage = "longer"
	Final  Stage = "final"
)

// Tolerance is how much faster than what a search found another setting of the grid may be.
const Tolerance = 0.03

const (
	// screenShare and narrowShare are the lengths of tests of the first two stages, as divisors of Time.
	screenShare = 4
	narrowShare = 2
	// hopelessShare of the best rate is what a setting must reach in its first test to get another one.
	hopelessShare = 0.5
	// survivors is the divisor of how many settings the first stage leaves, finalists how many the second one does.
	survivors = 4
	finalists = 4
	// minRounds and maxRounds bound the final; where tests of one setting differ by more than calm, it has
	// busyRounds at least.
	minRounds  = 3
	busyRounds = 6
	maxRounds  = 9
	calm       = 0.1
)

// Found is the outcome of a search.
type Found struct {
	Points []Point // best first
	// Decided says that no other setting of the final is likely to be more than Tolerance faster than the first.
	Decided bool
}

// ErrNothing says that no setting of the grid could be measured.
var ErrNothing = errors.New("no setting could be measured")

// Run searches the grid. An error comes with what was measured before it.
func (s Search) Run(ctx context.Context, grid []Setting) (Found, error) {
	all := lists.Map(grid, func(setting Setting) *searchCandidate { return &searchCandidate{setting: setting} })
	decided, err := s.runStages(ctx, all)
	sortFastest(all, medianOf)
	slices.SortStableFunc(all, func(a,
		b *searchCandidate) int {
		return boolToInt(b.isFinished()) - boolToInt(a.isFinished())
	})
	found := Found{Decided: decided}
	found.Points = append(found.Points, lists.Map(all, func(c *searchCandidate) Point { return c.toPoint() })...)
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
			if left, err = s.halveCandidates(ctx, left, stage.name, s.Time/stage.share, stage.leave); err != nil {
				return false, err
			}
		}
	}
	return s.raceCandidates(ctx, left)
}

// halveCandidates measures each candidate, those that are not far behind once more in the reverse order, and returns
// the best. The better test of two counts: a disturbance slows a test and never speeds one up.
func (s Search) halveCandidates(ctx context.Context, all []*searchCandidate, stage Stage, d time.Duration,
	leave int) ([]*searchCandidate, error) {
	if err := s.measureEach(ctx, stage, all, d); err != nil {
		return nil, err
	}
	sortFastest(all, slices.Max)
	again := all[:len(all):len(all)]
	for i, c := range all {
		if worthOf(c, slices.Max) < hopelessShare*worthOf(all[0], slices.Max) {
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

// bestCandidates are the first candidates, and the plugin's own choice: what is found is compared with that.
func bestCandidates(all []*searchCandidate, leave int) []*searchCandidate {
	return slices.DeleteFunc(slices.Clone(all), func(c *searchCandidate) bool {
		return c.setting != Setting{} && slices.Index(all, c) >= leave
	})
}

// measureEach measures each candidate once, but for those with a fault.
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

// usableCandidates are the candidates without a fault.
func usableCandidates(all []*searchCandidate) ([]*searchCandidate, error) {
	left := slices.DeleteFunc(slices.Clone(all), func(c *searchCandidate) bool { return c.fault != nil })
	if len(left) > 0 {
		return left, nil
	}
	faults := lists.Map(all, func(c *searchCandidate) error { return fmt.Errorf("%v: %w", c.setting, c.fault) })
	return nil, fmt.Errorf("%w: %w", ErrNothing, errors.Join(faults...))
}
