package openai

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// ErrUnreachable is wrapped by the error that is returned if no server is reachable.
var ErrUnreachable = errors.New("no server answers any more")

// serverEndpoint is one server.
type serverEndpoint struct {
	base       *url.URL
	running    int       // requests in progress
	restsUntil time.Time // time until which it gets no requests; zero: its last request was answered
	failed     int       // consecutive failures to reach it
	refused    int       // consecutive responses that it was busy
	reason     error     // why it was last unreachable
	answers    uint64    // answers since Restart
}

// balancer assigns requests to the endpoints with the fewest requests, in the order in which places are requested.
type balancer struct {
	places int // maximum number of requests at each endpoint

	mu        sync.Mutex
	endpoints []*serverEndpoint
	turn      int // start of the search for the fewest requests, so that equal ones alternate
	waiting   []*placeWaiter
}

// placeWaiter is a call that waits for a place.
type placeWaiter struct {
	place chan *serverEndpoint
	only  *serverEndpoint // the endpoint that it waits for; nil: any
	gone  bool
}

// Resting times of an endpoint: the first one, which doubles after further failures, the maximum for an unreachable
// endpoint, and the maximum for a busy one, even if it asks for more.
const (
	firstRest    = 50 * time.Millisecond
	maxBackoff   = 5 * time.Second
	maxBusyPause = 10 * time.Second
)

// backoffAfter returns the resting time after a number of earlier failures.
func backoffAfter(failures int) time.Duration { return firstRest << min(failures, 20) }

func newBalancer(bases []*url.URL, places int) *balancer {
	b := &balancer{places: places}
	for _, u := range bases {
		b.endpoints = append(b.endpoints, &serverEndpoint{base: u})
	}
	return b
}

// acquire takes a place at the endpoint only or, if it is nil, at any endpoint, and waits if necessary. release returns
// the place. The error is the cause of ctx.
func (b *balancer) acquire(ctx context.Context, only *serverEndpoint) (*serverEndpoint, error) {
	b.mu.Lock()
	if len(b.waiting) == 0 {
		if e := b.freeEndpoint(only); e != nil {
			e.running++
			b.mu.Unlock()
			return e, nil
		}
	}
	w := &placeWaiter{place: make(chan *serverEndpoint, 1), only: only}
	b.waiting = append(b.waiting, w)
	b.serveWaiters()
	b.mu.Unlock()
	select {
	case e := <-w.place:
		return e, nil
	case <-ctx.Done():
		b.mu.Lock()
		w.gone = true
		b.mu.Unlock()
		select {
		case e := <-w.place: // a place was assigned in the meantime
			b.release(e)
		default:
		}
		return nil, context.Cause(ctx)
	}
}

// freeEndpoint returns the endpoint only if it has a free place or, if only is nil, the best of all endpoints; nil: no
// free place.
func (b *balancer) freeEndpoint(only *serverEndpoint) *serverEndpoint {
	switch {
	case only == nil:
		return b.bestEndpoint()
	case only.running < b.places:
		return only
	}
	return nil
}

// bestEndpoint returns the endpoint with a free place and the fewest requests; nil: there is none. An endpoint whose
// last request failed is tried with one request at a time after its rest. If the last requests of all endpoints failed,
// those that rest are only the last choice.
func (b *balancer) bestEndpoint() *serverEndpoint {
	var best *serverEndpoint
	now := time.Time{}
	healthy := slices.ContainsFunc(b.endpoints, (*serverEndpoint).isHealthy)
	n := len(b.endpoints)
	for i := range n {
		e := b.endpoints[(b.turn+i)%n]
		if !e.isHealthy() && now.IsZero() {
			now = time.Now()
		}
		if e.running >= b.places || healthy && e.isAvoided(now) {
			continue
		}
		if best == nil || e.isBetterThan(best, now) {
			best = e
		}
	}
	b.turn = (b.turn + 1) % n
	return best
}

func (e *serverEndpoint) isBetterThan(other *serverEndpoint, now time.Time) bool {
	if mine, its := e.isResting(now), other.isResting(now); mine != its {
		return its
	}
	return e.running < other.running
}

// isHealthy reports whether the last request to an endpoint did not fail.
func (e *serverEndpoint) isHealthy() bool { return e.restsUntil.IsZero() }

func (e *serverEndpoint) isResting(now time.Time) bool { return now.Before(e.restsUntil) }

// isAvoided reports whether an endpoint must not be used while another is healthy.
func (e *serverEndpoint) isAvoided(now time.Time) bool {
	return !e.isHealthy() && (e.running > 0 || e.isResting(now))
}

// release returns a place.
func (b *balancer) release(e *serverEndpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.running--
	b.serveWaiters()
}

// serveWaiters assigns free places to waiting calls, first come, first served. A call that waits for a specific
// endpoint does not block the others.
func (b *balancer) serveWaiters() {
	for i := 0; i < len(b.waiting); {
		w := b.waiting[i]
		if !w.gone {
			next := b.freeEndpoint(w.only)
			if next == nil && w.only == nil {
				return
			}
			if next == nil {
				i++
				continue
			}
			next.running++
			w.place <- next
		}
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
}

// markHealthy records that an endpoint answered. It may use all its places again.
func (b *balancer) markHealthy(e *serverEndpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.restsUntil, e.failed, e.refused = time.Time{}, 0, 0
	e.answers++
	b.serveWaiters()
}

// resetShares resets the counts of answers.
func (b *balancer) resetShares() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.endpoints {
		e.answers = 0
	}
}

// shares returns the answers of each endpoint since Restart; empty if there is only one endpoint.
func (b *balancer) shares() []backend.WorkShare {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.endpoints) < 2 {
		return nil
	}
	all := make([]backend.WorkShare, len(b.endpoints))
	for i, e := range b.endpoints {
		all[i] = backend.WorkShare{Name: e.base.String(), Batches: e.answers, Samples: e.answers}
	}
	return all
}

// markLost records that an endpoint is unreachable. It rests for a while.
func (b *balancer) markLost(e *serverEndpoint, reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if e.failed > 0 && e.isResting(now) { // another call has already recorded it
		return
	}
	rest := min(backoffAfter(e.failed), maxBackoff)
	e.failed++
	e.reason = reason
	e.restUntil(now.Add(rest))
}

// markBusy records that an endpoint is busy. It rests for minRest or longer, increasingly after repeated calls.
func (b *balancer) markBusy(e *serverEndpoint, minRest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	rest := minRest
	if !e.isResting(now) { // no other call has recorded it yet
		rest = max(rest, backoffAfter(e.refused))
		e.refused++
	}
	e.restUntil(now.Add(min(rest, maxBusyPause)))
}

// restUntil makes an endpoint rest until a time, unless it already rests longer.
func (e *serverEndpoint) restUntil(until time.Time) {
	if until.After(e.restsUntil) {
		e.restsUntil = until
	}
}

// failureCount returns the number of consecutive failures to reach an endpoint.
func (b *balancer) failureCount(e *serverEndpoint) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.failed
}

// retryPause returns the time to wait before the next try; 0 while an endpoint is not resting.
func (b *balancer) retryPause() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	shortest := maxBusyPause
	for _, e := range b.endpoints {
		if !e.isResting(now) {
			return 0
		}
		shortest = min(shortest, e.restsUntil.Sub(now))
	}
	return shortest
}

// unreachableError returns an error with the reason for each endpoint if all are unreachable, and nil otherwise.
func (b *balancer) unreachableError() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var reasons []error
	for _, e := range b.endpoints {
		if e.failed == 0 {
			return nil
		}
		reasons = append(reasons, e.reason)
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, errors.Join(reasons...))
}
