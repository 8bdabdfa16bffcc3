package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// stalling is a simulated SUT with one worker on a computer with other work, which occasionally stalls. Queries that
// arrive during a stall, or while it catches up, wait.
type stalling struct {
	rng      *rand.Rand
	capacity float64 // queries per second
	stalls   float64 // stalls per second, in seconds with stalls
	mean     float64 // mean duration of a stall in seconds
	busy     float64 // share of runs with stalls
	stays    float64 // mean number of consecutive runs with the same state; 0: runs are independent
	isBusy   bool
	runs     int
}

const (
	stallLimit   = 0.015  // time limit of queries in seconds
	stallSeconds = 10.0   // duration of a run
	stallLate    = 0.0085 // maximum share of late queries
)

// next returns the stalls of the next run in seconds.
func (m *stalling) next() (stalls []float64) {
	if m.runs++; m.runs == 1 || m.stays == 0 || m.rng.Float64() < 1/m.stays {
		m.isBusy = m.rng.Float64() < m.busy
	}
	if !m.isBusy || m.stalls == 0 {
		return nil
	}
	for at := m.rng.ExpFloat64() / m.stalls; at < stallSeconds; at += m.rng.ExpFloat64() / m.stalls {
		stalls = append(stalls, m.mean*m.rng.ExpFloat64())
	}
	return stalls
}

// late returns the share of late queries at a rate: those that wait for queries shortly before them, and those during a
// stall and the time to catch up.
func (m *stalling) late(rate float64, stalls []float64) float64 {
	load := rate / m.capacity
	if load >= 1 {
		return 1
	}
	left := stallLimit - 1/m.capacity
	share := math.Exp(-2 * (1 - load) / load * m.capacity * left)
	for _, d := range stalls {
		if d > left {
			share += (d - left) / (1 - load) / stallSeconds
		}
	}
	return share
}

func (m *stalling) try(_ context.Context, qps float64) (Trial, error) {
	stalls := m.next()
	t := Trial{TargetQPS: qps, Valid: m.late(qps, stalls) <= stallLate}
	if !t.Valid {
		t.Estimate = m.highest(stalls) * math.Exp(0.15*m.rng.NormFloat64())
	}
	return t, nil
}

// highest returns the highest rate that is VALID despite stalls; 0: none.
func (m *stalling) highest(stalls []float64) float64 {
	low, high := 0.0, m.capacity
	for range 20 {
		if middle := (low + high) / 2; m.late(middle, stalls) <= stallLate {
			low = middle
		} else {
			high = middle
		}
	}
	if low < m.capacity/1000 {
		return 0
	}
	return low
}

// TestRateSearchOnABusyMachine searches while other work makes runs INVALID at any rate: half of the runs, in clusters.
// Seeds are fixed.
func TestRateSearchOnABusyMachine(t *testing.T) {
	const cases = 100
	for name, c := range map[string]struct {
		machine stalling
		none    int     // maximum number of searches without a result
		median  float64 // minimum median of the results
		runs    float64 // maximum mean number
	}{
		"calm":              {stalling{}, 0, 640, 8.5},
		"short stalls":      {stalling{stalls: 0.2, mean: 0.02, busy: 1}, 0, 550, 12.5},
		"many stalls":       {stalling{stalls: 0.5, mean: 0.03, busy: 1}, 2, 150, 19},
		"each second run":   {stalling{stalls: 1, mean: 0.04, busy: 0.5}, 1, 380, 15},
		"for three runs":    {stalling{stalls: 1, mean: 0.04, busy: 0.4, stays: 3}, 2, 450, 15},
		"mostly, for a min": {stalling{stalls: 1, mean: 0.04, busy: 0.6, stays: 6}, 15, 150, 23},
	} {
		var found []float64
		runs := 0
		for i := range cases {
			m := c.machine
			m.rng, m.capacity = rand.New(rand.NewPCG(uint64(i), 5)), 800
			var last []Trial
			search := RateSearch{
				Probe: m.try, Confirm: m.try, Confirmations: 2, Report: func(t Trial) { last = append(last, t) },
			}
			rate, err := find(t.Context(), search, 800*(1+0.05*m.rng.NormFloat64()))
			if runs += m.runs; m.runs > maxRuns {
				t.Errorf("%s: %d runs", name, m.runs)
			}
			if errors.Is(err, ErrNoRate) {
				continue
			}
			if last = last[len(last)-2:]; err != nil || !last[0].Valid || !last[1].Valid || last[0].TargetQPS != rate ||
				last[1].TargetQPS != rate {
				t.Errorf("%s: %v, %v after %+v, want it VALID twice in a row", name, rate, err, last)
			}
			found = append(found, rate)
		}
		slices.Sort(found)
		none, middle, mean := cases-len(found), found[len(found)/2], float64(runs)/cases
		t.Logf("%s: no rate in %d of %d, the others %.0f in the middle, %.1f runs", name, none, cases, middle, mean)
		if none > c.none || middle < c.median || mean > c.runs {
			t.Errorf("%s: want %d at most, %v at least, %v at most", name, c.none, c.median, c.runs)
		}
	}
}
