// Package search looks for the highest load at which a server keeps its objectives.
//
// In: which loads are tried, and when it is enough. Out: measuring and judging a load (its callback), and the search
// that it is built on, of runs that are right by chance now and then (package tune).
package search

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/bench/tune"
)

// Load is what a trial is made at.
type Load struct {
	Value float64 // requests per second, or users
	// Confirms says that the trial is as long as a point that counts.
	Confirms bool
	// Times is how many times as many requests as usual it takes: 1, then 2, 4 where it could not be told whether the
	// server keeps its objectives.
	Times int
}

// Outcome is what a trial said.
type Outcome struct {
	Held bool // every objective, stationary, and not limited by the client
	// Unclear says that more requests would tell; Most that more are not allowed.
	Unclear, Most bool
}

// Trial is one that was made.
type Trial struct {
	Load
	Outcome
}

// Search looks for the highest load that holds: it doubles the load until one does not, then narrows down what is
// between (tune.RateSearch), and confirms what it finds, or a lower one, by a trial of full length.
type Search struct {
	// Try measures a load. The error of one that cannot be measured ends the search.
	Try func(ctx context.Context, l Load) (Outcome, error)
	// Users says that loads are whole numbers.
	Users bool
	// Start is the first load, above 0; 0: 1.
	Start float64
	// Highest is the highest load that may be tried; 0: there is none.
	Highest float64
	// Made are trials from before, of which those that confirm nothing count: the points of a sweep, or of a search that
	// was cut off.
	Made []Trial
}

// Found is what a search led to.
type Found struct {
	// Value is the highest load that was confirmed to hold; 0: none was.
	Value float64
	// Bound says that no higher load was allowed: the server may do more.
	Bound bool
	// Trials are all that the search made, in their order.
	Trials []Trial
}

const (
	// mostDoublings and mostQuarters bound how far from the start the search goes, and mostTimes how many times as many
	// requests a trial takes.
	mostDoublings, mostQuarters = 30, 10
	mostTimes                   = 64
)

// shares are those of the load that was found which are confirmed in turn. They fall slowly: near the highest load a
// server keeps its objectives in one run, and misses them in the next.
var shares = [...]float64{1, 0.97, 0.94, 0.91, 0.88, 0.85, 0.8, 0.7, 0.5, 0.35, 0.25}

// Run searches. The trials of a search that an error ended are there.
func (s Search) Run(ctx context.Context) (Found, error) {
	r := &running{Search: s}
	r.Start = cmp.Or(max(s.Start, 0), 1)
	err := r.run(ctx)
	return r.found, err
}

// running is a search under way.
type running struct {
	Search
	low, high float64 // the highest load that held, and the lowest above it that did not; 0: none
	known     []tune.Trial
	refused   []float64 // loads that a trial of full length did not confirm
	found     Found
}

func (r *running) run(ctx context.Context) error {
	for _, t := range r.Made {
		if !t.Confirms && t.Value > 0 {
			r.take(t.Value, t.Held)
		}
	}
	if err := r.bracket(ctx); err != nil || r.low == 0 {
		return err
	}
	search := tune.RateSearch{
		Probe: r.try(false), Confirm: r.try(true), Most: r.Highest, Made: r.known, Step: r.step(),
		Shares: shares[:],
	}
	rate := r.low
	if r.high > 0 {
		var err error
		if rate, err = search.Find(ctx, r.high, 0); err != nil {
			return err
		}
	} else {
		r.found.Bound = true
	}
	confirmed, err := search.ConfirmOrLower(ctx, rate)
	if errors.Is(err, tune.ErrNoRate) {
		return nil
	}
	if err == nil {
		r.found.Value = r.whole(confirmed)
		r.found.Bound = r.found.Bound && confirmed == rate
	}
	return err
}

// step is the least distance of two loads.
func (r *running) step() float64 {
	if r.Users {
		return 1
	}
	return 0
}

// whole is the load that stands for a value.
func (r *running) whole(v float64) float64 {
	if r.Users {
		return math.Floor(v + 1e-9)
	}
	return v
}

// bracket doubles the load from the start until one does not hold; where the first does not hold, it is a quarter of it
// that is tried. Afterwards low is 0 where none held, and high where no higher one may be tried.
func (r *running) bracket(ctx context.Context) error {
	at := r.Start
	switch {
	case r.low > 0:
		at = 2 * r.low
	case r.high > 0:
		at = r.high / 4
	}
	for range mostDoublings {
		if r.high > 0 && r.low > 0 {
			return nil
		}
		if r.Highest > 0 && at >= r.Highest {
			if at = r.whole(r.Highest); at <= r.low {
				return nil
			}
		}
		if at = r.whole(at); at <= 0 || at < r.Start/math.Pow(4, mostQuarters) {
			return nil
		}
		held, err := r.measure(ctx, at, false)
		if err != nil {
			return err
		}
		if held {
			at *= 2
		} else {
			at /= 4
		}
	}
	return nil
}

// take notes whether a load held.
func (r *running) take(value float64, held bool) {
	r.known = append(r.known, tune.Trial{TargetQPS: value, Valid: held})
	if held {
		r.low = max(r.low, value)
	}
	r.high = 0
	for _, t := range r.known {
		if !t.Valid && t.TargetQPS > r.low && (r.high == 0 || t.TargetQPS < r.high) {
			r.high = t.TargetQPS
		}
	}
}

// measure tries a load, with more requests where the usual number cannot tell.
func (r *running) measure(ctx context.Context, value float64, confirms bool) (held bool, err error) {
	l := Load{Value: value, Confirms: confirms, Times: 1}
	for {
		out, err := r.Try(ctx, l)
		if err != nil {
			return false, err
		}
		r.found.Trials = append(r.found.Trials, Trial{l, out})
		if !out.Unclear || out.Most || l.Times >= mostTimes {
			if !confirms {
				r.take(value, out.Held)
			}
			return out.Held, nil
		}
		l.Times *= 2
	}
}

// try is a run of the search that narrows. A load that was not confirmed is not tried to be again.
func (r *running) try(confirms bool) tune.Try {
	return func(ctx context.Context, qps float64) (tune.Trial, error) {
		value := r.whole(qps)
		t := tune.Trial{TargetQPS: value, Confirms: confirms}
		if value <= 0 || confirms && slices.Contains(r.refused, value) {
			return t, nil
		}
		var err error
		if t.Valid, err = r.measure(ctx, value, confirms); confirms && !t.Valid {
			r.refused = append(r.refused, value)
		}
		return t, err
	}
}
