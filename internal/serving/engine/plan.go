package engine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// Asks is a list of requests, numbered from 0. Many goroutines call At, only before the measurement.
type Asks interface {
	Len() int
	At(i int) prompts.Ask
}

// AskList is a list of existing requests.
type AskList []prompts.Ask

// Len is how many there are.
func (l AskList) Len() int { return len(l) }

// At is one of them.
func (l AskList) At(i int) prompts.Ask { return l[i] }

// What a measurement does where nobody says otherwise.
const (
	DefaultGrace   = 30 * time.Second
	LeastWarmUp    = 8
	errorShare     = 0.1 // of the requests that ended,
	errorsAreAfter = 20  // from so many on
)

// PointPlan is the plan of one point's measurement.
type PointPlan struct {
	// Asks are sent in their order; where they are fewer than the load wants, they come again, shuffled anew by the
	// load's seed. The turns of a session are neighbours.
	Asks Asks
	// WarmUp are sent first, and count in nothing: by users before their other requests, of another load all at once.
	// Nil: none.
	WarmUp Asks
	Load   arrival.Pattern
	// Grace is how long requests that are under way may go on when a duration has ended the sending; BoundAll says that
	// it bounds those, too, that a number of requests ended, which are all waited for otherwise.
	Grace    time.Duration
	BoundAll bool
	// MaxErrors ends the point; nil: more than 10 % after 20 requests.
	MaxErrors *MaxErrors
	// Retry is how often a request is sent again that the server refused as too many (429) or as busy (503).
	Retry int
	// NoTokens says that answers have no tokens: embeddings, ranks.
	NoTokens bool
	// Share is the part of the load that is sent here, where other clients send the rest; the zero value is all of it.
	// Asks, WarmUp and Load are those of all together.
	Share shard.Share
	// Start is when the sending begins, by the wall clock, the same for all shares; the zero value is at once. What warms
	// up a schedule is sent before.
	Start time.Time
	// Lazy has requests written when they are due, and not before: they take no memory, and are late by their writing. At
	// is called during the measurement then. What warms up is written before.
	Lazy bool
	// More, if not nil, is asked before users send the unit at a place, counted from 0, which nothing that warms up has;
	// false: neither it nor a later one is sent. No
	// default duration ends the point then. Many goroutines ask.
	More func(place int) bool
	// Seen, if not nil, is told of each measured request when it has ended, by many goroutines. Its times are on the
	// engine's clock still, which begins before the measurement does.
	Seen func(r *metrics.Request)
	// Progress, if not nil, may be looked at while the measurement runs.
	Progress *PointProgress
}

// WarmUps is how many requests warm up where nobody says otherwise: as many as users, at least eight.
func WarmUps(p arrival.Pattern) int { return max(LeastWarmUp, p.Users) }

// MaxErrors is the number of failed requests that ends a point.
type MaxErrors struct {
	// Share is of the requests that ended, once there are twenty; above 0.
	Share float64
	// Count is how many may fail where Share is 0.
	Count int
}

// ParseMaxErrors reads "N" or "P%".
func ParseMaxErrors(text string) (MaxErrors, error) {
	if number, ok := strings.CutSuffix(strings.TrimSpace(text), "%"); ok {
		p, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(p > 0 && p <= 100) {
			return MaxErrors{}, fmt.Errorf("%q: want a share above 0 and up to 100 %%, as 10%%", text)
		}
		return MaxErrors{Share: p / 100}, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 {
		return MaxErrors{}, fmt.Errorf("%q: want a number of requests from 0 on, or a share as 10%%", text)
	}
	return MaxErrors{Count: n}, nil
}

// isExceeded tells whether so many failed of those that ended are too many.
func (m *MaxErrors) isExceeded(failed, ended int64) bool {
	switch {
	case m == nil:
		return ended >= errorsAreAfter && float64(failed) > errorShare*float64(ended)
	case m.Share > 0:
		return ended >= errorsAreAfter && float64(failed) > m.Share*float64(ended)
	}
	return failed > int64(m.Count)
}

// ServerFailed tells, of all requests of a point that nobody cut off, whether the server failed: not one good answer,
// however few there were, or more failures than there may be, those among them that only the end of the grace period
// found.
func (m *MaxErrors) ServerFailed(requests []metrics.Request, noTokens bool) bool {
	var good, failed int64
	for i := range requests {
		switch r := &requests[i]; {
		case r.WarmUp || r.Status == metrics.Cancelled:
		case metrics.MeasureRequest(r, metrics.FigureRules{NoTokens: noTokens}).Found == metrics.OK:
			good++
		default:
			failed++
		}
	}
	return failed > 0 && good == 0 || m.isExceeded(failed, good+failed)
}

// checkPlan says what of a plan cannot be run.
func (p *PointPlan) checkPlan() error {
	var faults []error
	need := func(ok bool, text string) {
		if !ok {
			faults = append(faults, errors.New(text))
		}
	}
	need(p.Asks != nil && p.Asks.Len() > 0, "there is nothing to ask for")
	need(p.Load.Kind != "", "there is no load")
	need(p.Load.Kind != arrival.Users || p.Load.Users > 0, "a closed loop without users")
	need(p.Load.Users == 0 || p.Share.Count(p.Load.Users) > 0, fmt.Sprintf("%d users are fewer than the %d shares",
		p.Load.Users, p.Share.Of))
	need(p.Grace >= 0, fmt.Sprintf("a grace period of %v: want 0 or more", p.Grace))
	need(p.More == nil || p.Load.Kind == arrival.Users && p.Share.Of <= 1,
		"the number of requests of anything but users of this client alone cannot depend on how it goes")
	need(p.Retry >= 0, fmt.Sprintf("%d more tries: want 0 or more", p.Retry))
	return errors.Join(faults...)
}
