package engine

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Users send as much as More wants, of requests that are written when they are due, and each is told to Seen when it
// has ended.
func TestMoreDecidesHowMuchIsSent(t *testing.T) {
	s := &script{first: 50 * time.Millisecond, each: time.Millisecond, tokens: 2}
	var seen atomic.Int64
	plan := PointPlan{
		Asks: asks(10), WarmUp: asks(4), Load: arrival.Pattern{Kind: arrival.Users, Users: 4},
		Lazy:    true,
		HasMore: func(place int) bool { return place < 45_000 },
		OnRequestEnd: func(r *metrics.Request) {
			if !r.WarmUp && r.End > r.Sent {
				seen.Add(1)
			}
		},
	}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		if written := s.written.Load(); written != 45_004 {
			t.Errorf("%d requests were written, want one each time and 4 that warm up", written)
		}
		if n := counted(p); n[metrics.OK] != 45_000 || p.StopReason != ByRequests || p.Rounds != 4500 ||
			seen.Load() != 45_000 {
			t.Fatalf("%v, %s, %d rounds, %d seen", n, p.StopReason, p.Rounds, seen.Load())
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

// A request that cannot be written when it is due fails, as one that is sent to no server does.
func TestLazyRequestsThatCannotBeWritten(t *testing.T) {
	bad := asks(3)
	bad[1].Text = "bad"
	plan := PointPlan{Asks: bad, Lazy: true, Load: arrival.Pattern{Kind: arrival.Users, Users: 1, Requests: 3},
		MaxErrors: &MaxErrors{Count: 2}}
	measured(t, &script{tokens: 1}, plan, func(t *testing.T, p *MeasuredPoint) {
		if n := counted(p); n[metrics.OK] != 2 || n[metrics.Faulty] != 1 || p.Requests[1].Fault != "it cannot be written" {
			t.Errorf("%v, %q", n, p.Requests[1].Fault)
		}
	})
}

// A schedule cannot depend on how the measurement goes.
func TestMoreIsOfUsers(t *testing.T) {
	plan := PointPlan{Asks: asks(1), Load: arrival.Pattern{Kind: arrival.Maximum}, HasMore: func(int) bool { return true }}
	if _, err := Measure(t.Context(), &script{}, plan); err == nil || !strings.Contains(err.Error(), "users") {
		t.Errorf("error %v, want one that names users", err)
	}
}
