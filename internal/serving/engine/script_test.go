package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// script is a server that does as told.
type script struct {
	// first and each are the times to the first token and between the others, tokens how many there are.
	first, each time.Duration
	tokens      int
	// slow, if not nil, is what the request of a number takes in the place of first.
	slow func(n int64) time.Duration
	// status, if not nil, is how the request of a number ends; "" is OK.
	status func(n int64) metrics.Status
	// most, if above 0, is how many are answered at a time.
	most int

	asked   atomic.Int64
	written atomic.Int64
	mu      sync.Mutex
	under   int
	peak    int
	rows    []int
	room    chan struct{}
	said    []string
}

func (s *script) Prepare(a *prompts.Ask) (Prepared, error) {
	if a.Text == "bad" {
		return nil, errors.New("it cannot be written")
	}
	s.written.Add(1)
	return a.Row, nil
}

func (s *script) enter(row int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under++
	s.peak = max(s.peak, s.under)
	s.rows = append(s.rows, row)
}

func (s *script) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under--
}

func (s *script) Ask(ctx context.Context, p Prepared, clock Clock, r *metrics.Request) {
	n := s.asked.Add(1) - 1
	s.enter(p.(int))
	defer s.leave()
	defer func() { r.End = clock.Now() }()
	r.Sent = clock.Now()
	if s.room != nil {
		s.room <- struct{}{}
		defer func() { <-s.room }()
	}
	wait := s.first
	if s.slow != nil {
		wait = s.slow(n)
	}
	for range s.tokens {
		select {
		case <-ctx.Done():
			r.Status = metrics.Cancelled
			return
		case <-time.After(wait):
		}
		r.Events.Add(metrics.StreamEvent{At: clock.Now(), Kind: metrics.Content, Text: true, IDs: 1})
		wait = s.each
	}
	r.Status = metrics.OK
	if s.status != nil {
		if st := s.status(n); st != "" {
			r.Status = st
			r.Events.Reset()
		}
	}
}

// asks are so many requests.
func asks(n int) AskList {
	all := make(AskList, n)
	for i := range all {
		all[i] = prompts.Ask{Row: i, MaxTokens: 4, Exact: true}
	}
	return all
}

// pattern is what flags mean.
func pattern(t *testing.T, f arrival.LoadFlags) arrival.Pattern {
	t.Helper()
	ps, err := f.ParsePatterns()
	if err != nil || len(ps) != 1 {
		t.Fatalf("%d patterns, error %v", len(ps), err)
	}
	return ps[0]
}

// measured runs a plan in virtual time.
func measured(t *testing.T, s *script, plan PointPlan, check func(*testing.T, *MeasuredPoint)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if s.most > 0 {
			s.room = make(chan struct{}, s.most)
		}
		p, err := Measure(loadgentest.WithSleep(t.Context()), s, plan)
		if err != nil {
			t.Fatal(err)
		}
		check(t, p)
	})
}

// counted are the requests of a point that are no warm-up, by status.
func counted(p *MeasuredPoint) map[metrics.Status]int {
	n := map[metrics.Status]int{}
	for i := range p.Requests {
		if r := &p.Requests[i]; !r.WarmUp {
			n[r.Status]++
		}
	}
	return n
}
