package openai

import (
	"context"
	"errors"
	"fmt"
	"net/url"
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
	rests   time.Time // until then it is not asked: it could not be reached
	failed  int       // times in a row that it could not be reached
	reason  error     // of the last time
	answers uint64    // since restart
}

// balancer hands out places at the endpoints: at the one with the fewest requests, in the order in which they are asked for.
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
	gone  bool
}

// resting times of an endpoint that cannot be reached: the first, which doubles from time to time, and the longest.
const (
	firstRest   = 50 * time.Millisecond
	longestRest = 5 * time.Second
)

func newBalancer(bases []*url.URL, places int) *balancer {
	b := &balancer{places: places}
	for _, u := range bases {
		b.endpoints = append(b.endpoints, &endpoint{base: u})
	}
	return b
}

// acquire takes a place, or waits for one. release gives it back. The error is the cause of ctx.
func (b *balancer) acquire(ctx context.Context) (*endpoint, error) {
	b.mu.Lock()
	if len(b.waiting) == 0 {
		if e := b.best(); e != nil {
			e.running++
			b.mu.Unlock()
			return e, nil
		}
	}
	w := &waiter{place: make(chan *endpoint, 1)}
	b.waiting = append(b.waiting, w)
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

// best is the endpoint with a free place and the fewest requests; those that rest come last. Without a free place it is nil.
func (b *balancer) best() *endpoint {
	var best *endpoint
	now := time.Time{}
	n := len(b.endpoints)
	for i := range n {
		e := b.endpoints[(b.turn+i)%n]
		if e.running >= b.places {
			continue
		}
		if e.failed > 0 && now.IsZero() {
			now = time.Now()
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

func (e *endpoint) resting(now time.Time) bool { return e.failed > 0 && now.Before(e.rests) }

// release gives a place back, to the first that waits.
func (b *balancer) release(e *endpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.running--
	for len(b.waiting) > 0 {
		w := b.waiting[0]
		if w.gone {
			b.waiting = b.waiting[1:]
			continue
		}
		next := b.best()
		if next == nil {
			return
		}
		next.running++
		b.waiting = b.waiting[1:]
		w.place <- next
	}
}

// succeeded says that an endpoint answered.
func (b *balancer) succeeded(e *endpoint) {
	b.mu.Lock()
	e.failed = 0
	e.answers++
	b.mu.Unlock()
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
func (b *balancer) shares() []backend.Share {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.endpoints) < 2 {
		return nil
	}
	all := make([]backend.Share, len(b.endpoints))
	for i, e := range b.endpoints {
		all[i] = backend.Share{Name: e.base.String(), Batches: e.answers, Samples: e.answers}
	}
	return all
}

// lost says that an endpoint cannot be reached: it rests for a while.
func (b *balancer) lost(e *endpoint, reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if e.resting(now) { // another call has noticed already
		return
	}
	rest := min(firstRest<<min(e.failed, 20), longestRest)
	e.failed++
	e.rests, e.reason = now.Add(rest), reason
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
	shortest := longestRest
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
