package tune

import (
	"context"
	"slices"
)

// raceCandidates measures the candidates in turns until the fastest is determined. It leaves them sorted, fastest
// first.
func (s Search) raceCandidates(ctx context.Context, all []*searchCandidate) (decided bool, err error) {
	defer func() { sortFastest(all, medianOf) }()
	for round := 1; round <= maxRounds && !decided; round++ {
		if err := s.measureEach(ctx, Final, all, s.Time); err != nil {
			return false, err
		}
		running, err := usableCandidates(all)
		if err != nil {
			return false, err
		}
		slices.Reverse(all)
		if round >= minRounds {
			decided = leaderIsClear(running)
			if s.Exhaustive {
				break
			}
		}
	}
	return decided, nil
}

// leaderIsClear reports whether no candidate is likely to be faster than the leader by more than Tolerance.
func leaderIsClear(running []*searchCandidate) bool {
	sortFastest(running, medianOf)
	if len(running[0].rates) < busyRounds && slices.ContainsFunc(running, isDisturbed) {
		return false
	}
	return !slices.ContainsFunc(running[1:], func(c *searchCandidate) bool { return !isSlower(c.rates, running[0].rates) })
}

// isDisturbed reports whether other work disturbed the tests of a candidate.
func isDisturbed(c *searchCandidate) bool { return c.toPoint().Spread > calm }

// isSlower reports whether a rival is unlikely to be more than Tolerance faster than the leader. The rival must have
// been that much faster in no round, or in only one of six or more. For a rival that is faster in half of all rounds,
// the probability of this is 1/8 after three rounds, 1/16 after four, 1/32 after five, and no more than 7/64 from six
// on.
func isSlower(rival, leader []float64) bool {
	faster := 0
	for i, rate := range rival {
		if rate > (1+Tolerance)*leader[i] {
			faster++
		}
	}
	return faster == 0 || len(rival) >= 6 && faster == 1
}
