package openai

import (
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

func TestEndpointsRest(t *testing.T) {
	for _, c := range []struct {
		name  string
		fails func(b *balancer, e *serverEndpoint)
		rests time.Duration
	}{
		{"busy", func(b *balancer, e *serverEndpoint) { b.markBusy(e, 0) }, firstRest},
		{"busy for a time of its own", func(b *balancer, e *serverEndpoint) { b.markBusy(e, 3*time.Second) },
			3 * time.Second},
		{"busy for long", func(b *balancer, e *serverEndpoint) { b.markBusy(e, time.Hour) }, maxBusyPause},
		{"busy, also for another call", func(b *balancer, e *serverEndpoint) {
			b.markBusy(e, time.Second)
			b.markBusy(e,
				0)
		}, time.Second},
		{"gone", func(b *balancer, e *serverEndpoint) { b.markLost(e, nil) }, firstRest},
		{"gone while busy", func(b *balancer, e *serverEndpoint) { b.markBusy(e, time.Second); b.markLost(e, nil) },
			time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBalancer([]*url.URL{{Host: "a"}, {Host: "b"}}, 2)
				bad, good := b.endpoints[0], b.endpoints[1]
				c.fails(b, bad)
				time.Sleep(c.rests - time.Nanosecond)
				want(t, b, good, good)
				want(t, b) // full, and the other rests
				time.Sleep(time.Nanosecond)
				want(t, b, bad) // alone: it may fail again
				want(t, b)
				b.markHealthy(bad)
				want(t, b, bad)
			})
		})
	}
}

func TestNoChoiceButToAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBalancer([]*url.URL{{Host: "a"}, {Host: "b"}}, 1)
		b.markLost(b.endpoints[0], nil)
		b.markBusy(b.endpoints[1], maxBusyPause)
		if b.retryPause() != firstRest {
			t.Errorf("a pause of %v where all rest, want %v", b.retryPause(), firstRest)
		}
		first, second := b.bestEndpoint(), b.endpoints[1]
		if first == nil {
			t.Fatal("no endpoint where all rest")
		}
		b.markHealthy(second)
		want(t, b, second)
	})
}

// want checks which places are assigned next; without arguments, that no place is free.
func want(t *testing.T, b *balancer, places ...*serverEndpoint) {
	t.Helper()
	for _, p := range places {
		if e := b.bestEndpoint(); e != p {
			t.Fatalf("the next place is at %v, want %v", e, p)
		}
		p.running++
	}
	if e := b.bestEndpoint(); len(places) == 0 && e != nil {
		t.Fatalf("a place at %v, want none", e.base)
	}
}

// TestWaitingCallsGetThePlacesOfAnEndpointThatIsBack checks that waiting calls get places although none is released.
func TestWaitingCallsGetThePlacesOfAnEndpointThatIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBalancer([]*url.URL{{Host: "a"}, {Host: "b"}}, 2)
		b.markBusy(b.endpoints[0], time.Second)
		want(t, b, b.endpoints[1], b.endpoints[1])
		got := make(chan *serverEndpoint, 1)
		go func() {
			e, err := b.acquire(t.Context(), nil)
			if err != nil {
				t.Error(err)
			}
			got <- e
		}()
		synctest.Wait()
		b.markHealthy(b.endpoints[0])
		if e := <-got; e != b.endpoints[0] {
			t.Errorf("a place at %v", e.base)
		}
	})
}
