package arrival

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Schedule contains the due times of requests.
type Schedule struct {
	// Due contains due times in nanoseconds from the start of sending, ascending.
	Due []int64
	// Rows contains the row of the data for each entry of Due; nil: rows are sent in order.
	Rows []int
	// Steady is the time at which the load reaches its requested value after a ramp. Figures exclude earlier requests.
	Steady int64
	// Notes contains notes for the user.
	Notes []string
}

// MakeSchedule returns the due times of any load except users. rows is the number of rows in the data and the default
// number of requests of the kind Maximum. stamps contains the times of a trace in the order of its rows; nil: none.
func (p Pattern) MakeSchedule(rows int, stamps []time.Duration) (Schedule, error) {
	switch p.Kind {
	case Maximum:
		n := cmp.Or(p.Requests, rows)
		return Schedule{Due: make([]int64, n)}, nil
	case Replay:
		return p.scheduleReplay(stamps)
	case Rate:
		due, err := p.arrivalTimes()
		return Schedule{Due: due, Steady: int64(p.Ramp)}, err
	}
	return Schedule{}, errors.New("users have no schedule")
}

// arrivalLimits returns the maximum number of requests of a rate and the time before which they are due. If whole is
// true, both limits must be reached.
func (p Pattern) arrivalLimits() (requests int, before int64, whole bool) {
	requests, before = math.MaxInt, math.MaxInt64
	if p.Requests > 0 {
		requests = p.Requests
	}
	if p.Duration > 0 {
		before = int64(p.Duration)
	}
	if p.Stages != nil {
		before = min(before, int64(p.StagesLast()))
	} else if p.Requests == 0 && p.Duration == 0 {
		return DefaultRequests, int64(DefaultDuration), true
	}
	return requests, before, false
}

// arrivalTimes returns the due times of a rate. It uses LoadGen's times if LoadGen supports the load. Otherwise it
// returns the times at which the integral of the rate equals the arrival times of one arrival per second.
func (p Pattern) arrivalTimes() ([]int64, error) {
	requests, before, whole := p.arrivalLimits()
	if n := p.integrateRate().integrateUntil(float64(before)); min(n, float64(requests)) > MostRequests {
		return nil, fmt.Errorf("the load asks for %.3g requests, at most %d are possible: shorten its duration or lower "+
			"its rate", n, MostRequests)
	}
	if p.Arrival == Poisson && p.Stages == nil && p.Ramp == 0 {
		return p.serverArrivals(requests, before, whole)
	}
	if whole {
		before = int64(MostDuration)
	}
	var due []int64
	rate, next := p.integrateRate(), p.unitArrivals()
	for {
		at := rate.timeAtValue(next())
		done := len(due) >= requests
		if whole {
			done = done && at >= float64(DefaultDuration)
		}
		if done || at >= float64(before) {
			return due, nil
		}
		due = append(due, int64(at))
	}
}

// serverArrivals returns LoadGen's own schedule. Shorter schedules are prefixes of longer ones.
func (p Pattern) serverArrivals(requests int, before int64, whole bool) ([]int64, error) {
	least, span := uint64(1), before
	expected := p.PerSecond * time.Duration(before).Seconds()
	switch {
	case whole:
		least = uint64(requests)
	case float64(requests) < expected/2: // the number of requests is the limit that is reached first
		least, span = uint64(requests), 0
	}
	due, err := loadgen.ServerArrivals(p.PerSecond, p.Seed, least, time.Duration(span))
	if err != nil {
		return nil, err
	}
	n, _ := slices.BinarySearch(due, before)
	if n = min(n, requests); whole {
		n, _ = slices.BinarySearch(due, int64(DefaultDuration))
		most, _ := slices.BinarySearch(due, int64(MostDuration))
		n = min(max(n, requests), most)
	}
	return due[:n], nil
}
