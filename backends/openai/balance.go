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

// ErrUnreachable is in the chain of the error where all servers are gone.
var ErrUnreachable = errors.New("no server answers any more")

// serverEndpoint is one server.
type serverEndpoint struct {
	base    *url.URL
	running int       // requests that it is working on
	rests   time.Time // until then it is not asked: it could not be reached, or was busy. Zero: it answered last
	failed  int       // times in a row that it could not be reached
	refused int       // times in a row that it was busy
	reason  error     // why it could not be reached, the last time
	answers uint64    // since restart
}

// balancer hands out places at the endpoints: at the one with the fewest requests, in the order in
// which they are asked for.
type balancer struct {
	places int // of each endpoint

	mu        sync.Mutex
	endpoints []*serverEndpoint
	turn      int // where the search for the fewest starts, so that equals take turns
	waiting   []*placeWaiter
}

// placeWaiter is a call that waits for a place.
type placeWaiter struct {
	place chan *serverEndpoint
	only  *serverEndpoint // that it waits for; nil: any
	gone  bool
}

// resting times of an endpoint: the first, which doubles from time to time, the longest of one that cannot be reached,
// and that of one that is busy, whatever it asks for.
const (
	firstRest    = 50 * time.Millisecond
	maxBackoff   = 5 * time.Second
	maxBusyPause = 10 * time.Second
)

// backoffAfter is the rest after a number of failures before this one.
func backoffAfter(failures int) time.Duration { return firstRest << min(failures, 20) }

func newBalancer(bases []*url.URL, places int) *balancer {
	b := &balancer{places: places}
	for _, u := range bases {
		b.endpoints = append(b.endpoints, &serverEndpoint{base: u})
	}
	return b
}

// acquire takes a place at one endpoint, or where that is nil at any, or waits for one. release gives it back. The
// error is the cause of ctx.
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
		case e := <-w.place: // it came meanwhile
			b.release(e)
		default:
		}
		return nil, context.Cause(ctx)
	}
}

// freeEndpoint is the one endpoint if it has a free place, or where that is nil the best of all; nil if there is none.
func (b *balancer) freeEndpoint(only *serverEndpoint) *serverEndpoint {
	switch {
	case only == nil:
		return b.bestEndpoint()
	case only.running < b.places:
		return only
	}
	return nil
}

// bestEndpoint is the endpoint with a free place and the fewest requests; nil if there is none. One that failed last is
// tried with one request at a time, when it has rested. Where all failed last, those that rest are only the last to be
// asked.
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

// isHealthy tells whether an endpoint did not fail last.
func (e *serverEndpoint) isHealthy() bool { return e.rests.IsZero() }

func (e *serverEndpoint) isResting(now time.Time) bool { return now.Before(e.rests) }

// isAvoided tells whether an endpoint is to be left alone while another is healthy.
func (e *serverEndpoint) isAvoided(now time.Time) bool {
	return !e.isHealthy() && (e.running > 0 || e.isResting(now))
}

// release gives a place back.
func (b *balancer) release(e *serverEndpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.running--
	b.serveWaiters()
}

// serveWaiters hands free places to those that wait, the first one first. One that waits for a single endpoint keeps
// nobody from the others.
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

// markHealthy notes that an endpoint answered: it has all its places again.
func (b *balancer) markHealthy(e *serverEndpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.rests, e.failed, e.refused = time.Time{}, 0, 0
	e.answers++
	b.serveWaiters()
}

// resetShares forgets what the endpoints have answered so far.
func (b *balancer) resetShares() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.endpoints {
		e.answers = 0
	}
}

// shares is what each endpoint has answered since restart; empty where there is one alone.
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

// markLost notes that an endpoint cannot be reached: it rests for a while.
func (b *balancer) markLost(e *serverEndpoint, reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if e.failed > 0 && e.isResting(now) { // another call has noticed already
		return
	}
	rest := min(backoffAfter(e.failed), maxBackoff)
	e.failed++
	e.reason = reason
	e.restUntil(now.Add(rest))
}

// markBusy notes that an endpoint takes no more now: it rests for so long at least, and longer from time to time.
func (b *balancer) markBusy(e *serverEndpoint, atLeast time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	rest := atLeast
	if !e.isResting(now) { // another call has not noticed yet
		rest = max(rest, backoffAfter(e.refused))
		e.refused++
	}
	e.restUntil(now.Add(min(rest, maxBusyPause)))
}

// restUntil lets an endpoint rest until a time, or as long as it does already.
func (e *serverEndpoint) restUntil(until time.Time) {
	if until.After(e.rests) {
		e.rests = until
	}
}

// failureCount is how often in a row an endpoint could not be reached.
func (b *balancer) failureCount(e *serverEndpoint) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.failed
}

// retryPause is how long to wait before the next try: not at all while an endpoint does not rest.
func (b *balancer) retryPause() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	shortest := maxBusyPause
	for _, e := range b.endpoints {
		if !e.isResting(now) {
			return 0
		}
		shortest = min(shortest, e.rests.Sub(now))
	}
	return shortest
}

// unreachableError is the error where all endpoints are gone, with the reason for each; nil while one is there.
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
