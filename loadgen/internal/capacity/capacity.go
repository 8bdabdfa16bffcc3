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

// Model is a queue that reproduces the recorded times.
type Model struct {
	Servers int
	arrive  []int64 // times of arrival in ns, in ascending order
	service []int64 // times in service in ns, not negative
}

// Service returns the mean time in service, in ns.
func (m Model) Service() float64 {
	sum := 0.0
	for _, s := range m.service {
		sum += float64(s)
	}
	return sum / float64(len(m.service))
}

// serviceVariation returns the coefficient of variation of the times in service.
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

// Late returns the number of queries that take longer than limit if the gaps between the arrivals are multiplied by
// stretch. If stretch is infinite, no query waits.
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

// countSlow returns the number of queries that are in service for longer than limit.
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

// Stretch returns the smallest factor for the gaps at which at most allowed queries take longer than limit. The factor
// is at least 1 and precise to about a thousandth. ok is false if no factor is large enough.
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
