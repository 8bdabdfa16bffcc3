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

// Asks is a list of requests, numbered from 0. Many goroutines call At, but only before the measurement.
type Asks interface {
	Len() int
	At(i int) prompts.Ask
}

// AskList is a list of requests in memory.
type AskList []prompts.Ask

// Len returns the number of requests.
func (l AskList) Len() int { return len(l) }

// At returns the request at index i.
func (l AskList) At(i int) prompts.Ask { return l[i] }

// Defaults of a measurement.
const (
	DefaultGrace     = 30 * time.Second
	MinWarmUp        = 8
	maxErrorShare    = 0.1 // maximum share of failed requests among those that ended
	minEndedForShare = 20  // minimum number of ended requests before that share counts
)

// PointPlan is the plan of one point's measurement.
type PointPlan struct {
	// Asks are the requests, sent in order. If the load requires more requests than there are, all are sent again, each
	// time in a new order drawn from the load's seed. The turns of a session are neighbours.
	Asks Asks
	// WarmUp contains the warm-up requests, which are sent first and do not count. Users send them one after another;
	// other loads send all of them at once. nil: no warm-up.
	WarmUp Asks
	Load   arrival.Pattern
	// Grace is the time that requests in flight have to end after a duration has ended the sending. GraceAlways applies
	// Grace also if a number of requests ended the sending; otherwise the engine waits for all answers.
	Grace       time.Duration
	GraceAlways bool
	// MaxErrors is the number of failures that ends the point. nil: more than 10 % after 20 requests.
	MaxErrors *MaxErrors
	// MaxRetries is the maximum number of retries of a request that the server refused with status 429 (too many) or 503
	// (busy).
	MaxRetries int
	// NoTokens states that answers have no tokens, as with embeddings and reranking.
	NoTokens bool
	// Share is the part of the load that this client sends if several clients share it. The zero value is the whole load.
	// Asks, WarmUp and Load describe the whole load.
	Share shard.Share
	// Start is the wall-clock time at which the measurement begins, the same for all shares. The zero value starts at
	// once. The warm-up requests of a schedule are sent before Start.
	Start time.Time
	// Lazy encodes each request when it is due and not before. The requests then take no memory, and each is late by the
	// time of its encoding. At is then called during the measurement. Warm-up requests are always encoded before.
	Lazy bool
	// HasMore, if not nil, is called before users send the unit at a place. Places count from 0 without the warm-up. If
	// More returns false, that unit and all later ones are not sent. With More, no default duration ends the point. Many
	// goroutines call More.
	HasMore func(place int) bool
	// OnRequestEnd, if not nil, is called with each measured request after its end, by many goroutines. The request's
	// times are still on the engine's clock, which starts before the measurement.
	OnRequestEnd func(r *metrics.Request)
	// Progress, if not nil, can be read while the measurement runs.
	Progress *PointProgress
}

// DefaultWarmUps returns the default number of warm-up requests: the number of users, but not less than MinWarmUp.
func DefaultWarmUps(p arrival.Pattern) int { return max(MinWarmUp, p.Users) }

// MaxErrors is the limit of failed requests that ends a point.
type MaxErrors struct {
	// Share is the maximum share of failed requests among those that ended, from the twentieth on; above 0.
	Share float64
	// Count is the maximum number of failed requests if Share is 0.
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

// isExceeded reports whether the number of failed requests exceeds the limit.
func (m *MaxErrors) isExceeded(failed, ended int64) bool {
	switch {
	case m == nil:
		return ended >= minEndedForShare && float64(failed) > maxErrorShare*float64(ended)
	case m.Share > 0:
		return ended >= minEndedForShare && float64(failed) > m.Share*float64(ended)
	}
	return failed > int64(m.Count)
}

// ServerFailed reports whether the server failed during a point. It failed if no answer was good, or if more requests
// failed than the limit allows, including those that were unfinished at the end of the grace period. Requests that the
// client cancelled do not count.
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

// checkPlan returns an error if the plan cannot be run.
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
	need(p.HasMore == nil || p.Load.Kind == arrival.Users && p.Share.Of <= 1,
		"the number of requests of anything but users of this client alone cannot depend on how it goes")
	need(p.MaxRetries >= 0, fmt.Sprintf("%d more tries: want 0 or more", p.MaxRetries))
	return errors.Join(faults...)
}
