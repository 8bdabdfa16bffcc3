// Package capacity fits a queue model to recorded times and estimates the rate at which they would have met a limit.
//
// The model is a queue in front of several servers, each of which processes one query at a time, in the order of
// arrival. With the right number of servers, queries that find all servers busy have the same service times as the
// others. With too few servers in the model these queries seem faster, with too many slower, because their times
// contain waiting. Fit finds the number in between. If times vary and few queries arrive without waiting, Fit counts
// the queries that overtake each other instead. The same service times are then sent through the queue again, with
// longer gaps between the arrivals.
//
// In scope: the times of one run. Out of scope: limits and percentiles of the rules.
package capacity

import "math"

// Model is a queue that repeats the recorded times.
type Model struct {
	Servers int
	arrive  []int64 // in ascending order
	service []int64 // at least 0
}

// Service is the mean time in service, in ns.
func (m Model) Service() float64 {
	sum := 0.0
	for _, s := range m.service {
		sum += float64(s)
	}
	return sum / float64(len(m.service))
}

// serviceVariation is the coefficient of variation of the times in service.
func (m Model) serviceVariation() float64 {
	mean, sum := m.Service(), 0.0
	for _, s := range m.service {
		d := float64(s) - mean
		sum += d * d
	}
	if mean == 0 {
		return 0
	}
	return math.Sqrt(sum/float64(len(m.service))) / mean
}

// Late is how many queries take longer than limit when the gaps between the arrivals are stretch times as long.
// Infinity is a stretch: then no query waits.
func (m Model) Late(stretch float64, limit int64) int {
	if math.IsInf(stretch, 1) {
		return m.countSlow(limit)
	}
	late := 0
	free := make(timeHeap, m.Servers)
	for i, at := range m.arrive {
		at = int64(float64(at-m.arrive[0]) * stretch)
		done := max(at, free[0]) + m.service[i]
		free.replaceEarliest(done)
		if done-at > limit {
			late++
		}
	}
	return late
}

// countSlow is how many queries are in service for longer than limit.
func (m Model) countSlow(limit int64) int {
	n := 0
	for _, s := range m.service {
		if s > limit {
			n++
		}
	}
	return n
}

const (
	precision  = 1e-3
	maxStretch = 1 << 20
)

// Stretch is the least factor on the gaps, from 1 and to about a thousandth, with which no more than allowed queries
// take longer than limit; ok is false where there is none.
func (m Model) Stretch(limit int64, allowed int) (factor float64, ok bool) {
	if m.countSlow(limit) > allowed {
		return 0, false
	}
	if m.Late(1, limit) <= allowed {
		return 1, true
	}
	low, high := 1.0, 2.0
	for m.Late(high, limit) > allowed {
		if low, high = high, 2*high; high > maxStretch {
			return 0, false
		}
	}
	for high/low > 1+precision {
		if mid := math.Sqrt(low * high); m.Late(mid, limit) > allowed {
			low = mid
		} else {
			high = mid
		}
	}
	return high, true
}
