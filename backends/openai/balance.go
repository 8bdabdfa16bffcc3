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

// endpoint is one server.
type endpoint struct {
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
	endpoints []*endpoint
	turn      int // where the search for the fewest starts, so that equals take turns
	waiting   []*waiter
}

// waiter is a call that waits for a place.
type waiter struct {
	place chan *endpoint
	only  *endpoint // that it waits for; nil: any
	gone  bool
}

// resting times of an endpoint: the first, which doubles from time to time, the longest of one that cannot be reached,
// and that of one that is busy, whatever it asks for.
const (
	firstRest   = 50 * time.Millisecond
	longestRest = 5 * time.Second
	longestBusy = 10 * time.Second
)

// doubled is the rest after a number of failures before this one.
func doubled(failures int) time.Duration { return firstRest << min(failures, 20) }

func newBalancer(bases []*url.URL, places int) *balancer {
	b := &balancer{places: places}
	for _, u := range bases {
		b.endpoints = append(b.endpoints, &endpoint{base: u})
	}
	return b
}

// acquire takes a place at one endpoint, or where that is nil at any, or waits for one. release gives it back. The
// error is the cause of ctx.
func (b *balancer) acquire(ctx context.Context, only *endpoint) (*endpoint, error) {
	b.mu.Lock()
	if len(b.waiting) == 0 {
		if e := b.free(only); e != nil {
			e.running++
			b.mu.Unlock()
			return e, nil
		}
	}
	w := &waiter{place: make(chan *endpoint, 1), only: only}
	b.waiting = append(b.waiting, w)
	b.serve()
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

// free is the one endpoint if it has a free place, or where that is nil the best of all; nil if there is none.
func (b *balancer) free(only *endpoint) *endpoint {
	switch {
	case only == nil:
		return b.best()
	case only.running < b.places:
		return only
	}
	return nil
}

// best is the endpoint with a free place and the fewest requests; nil if there is none. One that failed last is tried
// with one request at a time, when it has rested. Where all failed last, those that rest are only the last to be asked.
func (b *balancer) best() *endpoint {
	var best *endpoint
	now := time.Time{}
	healthy := slices.ContainsFunc(b.endpoints, (*endpoint).healthy)
	n := len(b.endpoints)
	for i := range n {
		e := b.endpoints[(b.turn+i)%n]
		if !e.healthy() && now.IsZero() {
			now = time.Now()
		}
		if e.running >= b.places || healthy && e.avoided(now) {
			continue
		}
		if best == nil || e.before(best, now) {
			best = e
		}
	}
	b.turn = (b.turn + 1) % n
	return best
}

func (e *endpoint) before(other *endpoint, now time.Time) bool {
	if mine, its := e.resting(now), other.resting(now); mine != its {
		return its
	}
	return e.running < other.running
}

// healthy tells whether an endpoint did not fail last.
func (e *endpoint) healthy() bool { return e.rests.IsZero() }

func (e *endpoint) resting(now time.Time) bool { return now.Before(e.rests) }

// avoided tells whether an endpoint is to be left alone while another is healthy.
func (e *endpoint) avoided(now time.Time) bool {
	return !e.healthy() && (e.running > 0 || e.resting(now))
}

// release gives a place back.
func (b *balancer) release(e *endpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.running--
	b.serve()
}

// serve hands free places to those that wait, the first one first. One that waits for a single endpoint keeps nobody
// from the others.
func (b *balancer) serve() {
	for i := 0; i < len(b.waiting); {
		w := b.waiting[i]
		if !w.gone {
			next := b.free(w.only)
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

// succeeded says that an endpoint answered: it has all its places again.
func (b *balancer) succeeded(e *endpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.rests, e.failed, e.refused = time.Time{}, 0, 0
	e.answers++
	b.serve()
}

// restart forgets what the endpoints have answered so far.
func (b *balancer) restart() {
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

// lost says that an endpoint cannot be reached: it rests for a while.
func (b *balancer) lost(e *endpoint, reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if e.failed > 0 && e.resting(now) { // another call has noticed already
		return
	}
	rest := min(doubled(e.failed), longestRest)
	e.failed++
	e.reason = reason
	e.rest(now.Add(rest))
}

// busy says that an endpoint takes no more now: it rests for so long at least, and longer from time to time.
func (b *balancer) busy(e *endpoint, atLeast time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	rest := atLeast
	if !e.resting(now) { // another call has not noticed yet
		rest = max(rest, doubled(e.refused))
		e.refused++
	}
	e.rest(now.Add(min(rest, longestBusy)))
}

// rest lets an endpoint rest until a time, or as long as it does already.
func (e *endpoint) rest(until time.Time) {
	if until.After(e.rests) {
		e.rests = until
	}
}

// failures is how often in a row an endpoint could not be reached.
func (b *balancer) failures(e *endpoint) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.failed
}

// pause is how long to wait before the next try: not at all while an endpoint does not rest.
func (b *balancer) pause() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	shortest := longestBusy
	for _, e := range b.endpoints {
		if !e.resting(now) {
			return 0
		}
		shortest = min(shortest, e.rests.Sub(now))
	}
	return shortest
}

// unreachable is the error where all endpoints are gone, with the reason for each; nil while one is there.
func (b *balancer) unreachable() error {
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
