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
	// Due contains nanoseconds from the start of sending, in rising order.
	Due []int64
	// Rows are the rows of the data that are sent, in the order of Due; nil: the first is sent first, and so on.
	Rows []int
	// Steady is the time at which the load reaches its requested value after a ramp. Earlier requests count in no
	// figure.
	Steady int64
	// Notes are for the user.
	Notes []string
}

// MakeSchedule returns the due times of any load except users. rows is the number of rows in the data, and the default
// number of requests of the kind Maximum. stamps are the times of a trace in the order of its rows; nil: none.
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

// arrivalLimits is how many requests of a rate are due at most, and before when; whole says that both have to be
// reached.
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

// arrivalTimes are the due times of a rate: those of LoadGen where it has them, else where the integral of the rate has
// the value that arrivals at one a second have as their times.
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

// serverArrivals is LoadGen's own schedule: a part of a longer one is its beginning.
func (p Pattern) serverArrivals(requests int, before int64, whole bool) ([]int64, error) {
	least, span := uint64(1), before
	expected := p.PerSecond * time.Duration(before).Seconds()
	switch {
	case whole:
		least = uint64(requests)
	case float64(requests) < expected/2: // they end it
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
