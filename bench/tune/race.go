package tune

import (
	"context"
	"slices"
)

// raceCandidates measures the candidates in turns until it is decided which is the fastest. It leaves them sorted, best
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

// leaderIsClear says that no candidate is likely to be faster than the leader by more than the tolerance.
func leaderIsClear(running []*searchCandidate) bool {
	sortFastest(running, medianOf)
	if len(running[0].rates) < busyRounds && slices.ContainsFunc(running, isDisturbed) {
		return false
	}
	return !slices.ContainsFunc(running[1:], func(c *searchCandidate) bool { return !isSlower(c.rates, running[0].rates) })
}

// isDisturbed says that something disturbed the tests of a candidate.
func isDisturbed(c *searchCandidate) bool { return c.toPoint().Spread > calm }

// isSlower says that a rival is hardly more than Tolerance faster than the leader: in none of its rounds, or in one of
// six and more, it was. If it were in every second round, the chance of that would be 1 in 8 after three rounds, 1 in
// 16 after four, 1 in 32 after five, and at most 7 in 64 from six on.
func isSlower(rival, leader []float64) bool {
	faster := 0
	for i, rate := range rival {
		if rate > (1+Tolerance)*leader[i] {
			faster++
		}
	}
	return faster == 0 || len(rival) >= 6 && faster == 1
}
