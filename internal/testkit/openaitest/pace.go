package openaitest

import (
	"context"
	"sync/atomic"
	"time"
)

// StepAt is the time between two tokens while n requests are worked on.
func (o Options) StepAt(n int) time.Duration { return o.Step + time.Duration(max(n-1, 0))*o.Grow }

// TopUsers is the largest number of users, each asking again as soon as it is answered, with whom no time between two
// tokens exceeds limit. 0: none. Without Grow it is the number of Slots, or -1 for any.
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

// TopRate is the highest rate of requests, in 1/s, at which time between tokens stays at limit, for answers of so many
// tokens to prompts of so many: by Little's law the requests under way are rate x time of each, and TopUsers of them
// take limit for a token. It holds for arrivals at a constant rate; random ones come in crowds.
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

// service lets requests in.
type service struct {
	options Options
	slots   chan struct{} // nil: any number
	working atomic.Int64
	waiting atomic.Int64
}

func (s *service) open(o Options) {
	s.options = o
	if o.Slots > 0 {
		s.slots = make(chan struct{}, o.Slots)
	}
}

// enter waits for a place. It tells whether there is one: not where the client has gone.
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

// step is the time to the next token now.
func (s *service) step() time.Duration { return s.options.StepAt(int(s.working.Load())) }
