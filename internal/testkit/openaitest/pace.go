package openaitest

import (
	"context"
	"sync/atomic"
	"time"
)

// StepAt returns the time between two tokens while n requests are processed.
func (o Options) StepAt(n int) time.Duration { return o.Step + time.Duration(max(n-1, 0))*o.Grow }

// TopUsers returns the largest number of users, each sending the next request at once after an answer, for which the
// time between two tokens does not exceed limit, or 0. Without Grow it returns the number of Slots, or -1 if they are
// unlimited.
func (o Options) TopUsers(limit time.Duration) int {
	switch {
	case o.Step > limit:
		return 0
	case o.Grow > 0:
		return int((limit-o.Step)/o.Grow) + 1
	case o.Slots > 0:
		return o.Slots
	}
	return -1
}

// TopRate returns the highest rate of requests, in 1/s, at which the time between tokens stays at limit, for given
// numbers of tokens of prompts and answers. By Little's law the number of requests in progress is the rate times the
// duration of a request, and TopUsers requests take limit per token. The result applies to arrivals at a constant rate;
// random arrivals cluster.
func (o Options) TopRate(limit time.Duration, prompt, tokens int) float64 {
	n := o.TopUsers(limit)
	if o.Slots > 0 {
		n = min(n, o.Slots)
	}
	if n <= 0 {
		return 0
	}
	each := o.First + time.Duration(prompt)*o.Prefill + time.Duration(tokens-1)*o.StepAt(n)
	return float64(n) / each.Seconds()
}

// service admits requests.
type service struct {
	options Options
	slots   chan struct{} // nil: unlimited
	working atomic.Int64
	waiting atomic.Int64
}

func (s *service) open(o Options) {
	s.options = o
	if o.Slots > 0 {
		s.slots = make(chan struct{}, o.Slots)
	}
}

// enter waits for a slot. It returns false if the client disconnects.
func (s *service) enter(ctx context.Context) bool {
	if s.slots != nil {
		s.waiting.Add(1)
		defer s.waiting.Add(-1)
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return false
		}
	}
	s.working.Add(1)
	return true
}

func (s *service) leave() {
	s.working.Add(-1)
	if s.slots != nil {
		<-s.slots
	}
}

// step returns the current time between two tokens.
func (s *service) step() time.Duration { return s.options.StepAt(int(s.working.Load())) }
