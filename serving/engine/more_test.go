package engine

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Users send as much as More wants, in the order of Draw, and each request is told to Seen when it has ended.
func TestMoreDecidesHowMuchIsSent(t *testing.T) {
	s := &script{first: 50 * time.Millisecond, each: time.Millisecond, tokens: 2}
	var seen atomic.Int64
	plan := Plan{
		Asks: asks(10), WarmUp: asks(4), Load: arrival.Pattern{Kind: arrival.Users, Users: 4},
		Draw: func(place int) int { return place * 3 % 10 },
		More: func(place int) bool { return place < 45_000 },
		Seen: func(r *metrics.Request) {
			if !r.WarmUp && r.End > r.Sent {
				seen.Add(1)
			}
		},
	}
	measured(t, s, plan, func(t *testing.T, p *Point) {
		if n := counted(p); n[metrics.OK] != 45_000 || p.Ended != ByRequests || p.Rounds != 1 || seen.Load() != 45_000 {
			t.Fatalf("%v, %s, %d rounds, %d seen", n, p.Ended, p.Rounds, seen.Load())
		}
		if took := p.Requests[len(p.Requests)-1].Sent; took < int64(arrival.DefaultDuration) {
			t.Errorf("it took %d ns, which says nothing of the default duration", took)
		}
		rows := map[int]int{}
		for _, r := range p.Requests {
			if !r.WarmUp {
				rows[r.Row]++
			}
		}
		for row, n := range rows {
			if n != 4500 {
				t.Errorf("row %d was sent %d times, want 4500", row, n)
			}
		}
	})
}

// A schedule cannot depend on how the measurement goes.
func TestMoreIsOfUsers(t *testing.T) {
	plan := Plan{Asks: asks(1), Load: arrival.Pattern{Kind: arrival.Maximum}, More: func(int) bool { return true }}
	if _, err := Measure(t.Context(), &script{}, plan); err == nil || !strings.Contains(err.Error(), "users") {
		t.Errorf("error %v, want one that names users", err)
	}
}
