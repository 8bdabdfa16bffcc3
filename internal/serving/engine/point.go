package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// MeasuredPoint contains the measurements at one load.
type MeasuredPoint struct {
	Load arrival.Pattern
	// Requests contains all requests that were started, including warm-up requests, in order of their due times. Times
	// count from the first measured due time, so warm-up requests can have negative times.
	Requests []metrics.Request
	// Window is the steady part of a closed loop. It lasts from the time when every user has sent a measured request to
	// the time when the first user finds no more requests. nil: a closed loop without a steady part, or an open loop, all
	// of which counts.
	Window     *metrics.Window
	StopReason StopReason
	Began      time.Time // wall-clock time
	Rounds     int       // how often the data were sent, including the first time
	Client     ClientUsage
	Notes      []string
}

// makePoint builds the point from the records.
func (e *engine) makePoint(notes []string) *MeasuredPoint {
	e.clientMeter.stop()
	zero := e.measureStart.Load()
	if zero == unsetTime {
		zero = e.clock.Now()
	}
	p := &MeasuredPoint{
		Load: e.plan.Load, Requests: e.slots.joinRecords(), Notes: notes,
		Began: e.clock.Wall().Add(time.Duration(zero)),
	}
	var cause StopReason
	if errors.As(context.Cause(e.sending), &cause) {
		p.StopReason = cause
	}
	if p.StopReason != ByCaller && e.plan.MaxErrors.ServerFailed(p.Requests, e.plan.NoTokens) {
		p.StopReason = ByErrors
	}
	slices.SortStableFunc(p.Requests, func(a, b metrics.Request) int { return cmp.Compare(a.Due, b.Due) })
	for i := range p.Requests {
		r := &p.Requests[i]
		r.Index = i
		r.Due, r.Sent, r.End = r.Due-zero, r.Sent-zero, r.End-zero
		r.Events.Shift(-zero)
	}
	e.setRounds(p)
	return p
}

// setRounds sets how often the data were sent.
func (e *engine) setRounds(p *MeasuredPoint) {
	if p.Rounds = 1 + len(e.work.orders); p.Rounds > 1 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s asked for up to %d times, each time shuffled anew: the "+
			"server's cache may answer", pluralSubject(len(e.work.items), "prompt"), p.Rounds))
	}
}

// pluralSubject returns a number of things with the matching verb.
func pluralSubject(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " was"
	}
	return figure.Plural(n, thing) + " were"
}

// setSteadyWindow sets the point's steady window.
func (e *engine) setSteadyWindow(p *MeasuredPoint) {
	zero := e.measureStart.Load()
	if e.startedUsers < e.plan.Share.Count(e.plan.Load.Users) || e.steadyFrom >= e.steadyTo {
		p.Notes = append(p.Notes, fmt.Sprintf("there was no time at which all of %d users asked: figures are of all "+
			"requests; more of them, or more time, make it steady", e.plan.Load.Users))
		return
	}
	p.Window = &metrics.Window{From: e.steadyFrom - zero, To: e.steadyTo - zero}
}
