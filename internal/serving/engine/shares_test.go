package engine

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// sentOf are the measured requests of points, each its row, its due time and its user, in order; the server answers at
// once, so that who asks what does not depend on times.
func sentOf(points ...*MeasuredPoint) []string {
	var all []string
	for _, p := range points {
		for _, r := range p.Requests {
			if !r.WarmUp {
				all = append(all, fmt.Sprintf("%d at %d", r.Row, p.Began.Add(time.Duration(r.Due)).UnixNano()))
			}
		}
	}
	slices.Sort(all)
	return all
}

// TestSharesAreTheWhole: what several clients send, each its share, is what one would have sent, at the same times.
func TestSharesAreTheWhole(t *testing.T) {
	for name, flags := range map[string]arrival.LoadFlags{
		"rate":    {Rate: "20", Requests: "50", Seed: 3},
		"gamma":   {Rate: "20", Arrival: "gamma", Burstiness: "2", Duration: "2s", Seed: 3},
		"maximum": {Max: true, Requests: "47"},
		"again":   {Max: true, Requests: "130", Seed: 5},
	} {
		t.Run(name, func(t *testing.T) {
			var start time.Time
			wrote := 0
			send := func(share shard.Share) (got *MeasuredPoint) {
				s := &script{first: time.Millisecond, each: time.Millisecond, tokens: 2}
				defer func() { wrote = int(s.written.Load()) }()
				plan := PointPlan{Asks: asks(60), WarmUp: asks(5), Load: pattern(t, flags), Share: share}
				synctestAt(t, &start, func(t *testing.T) {
					plan.Start = start
					got = measuredNow(t, s, plan)
				})
				if got.Began != start {
					t.Errorf("%v began at %v, want %v", share, got.Began, start)
				}
				return got
			}
			whole := sentOf(send(shard.Share{}))
			var parts []*MeasuredPoint
			for i := range 4 {
				parts = append(parts, send(shard.Share{Index: i, Of: 4}))
				rows := map[int]bool{}
				for _, r := range parts[i].Requests {
					if !r.WarmUp {
						rows[r.Row] = true
					}
				}
				if got, want := wrote, len(rows)+(shard.Share{Index: i, Of: 4}).Count(5); got != want {
					t.Errorf("share %d writes %d requests, want the %d that it sends", i, got, want)
				}
			}
			if got := sentOf(parts...); len(got) == 0 || !slices.Equal(got, whole) {
				t.Errorf("%d requests of shares, %d of one client:\n%v\n%v", len(got), len(whole), got, whole)
			}
		})
	}
}

// TestSharesOfUsers: each user is one client's, and so is each request.
func TestSharesOfUsers(t *testing.T) {
	users, rows := map[int]int{}, map[int]int{}
	for i := range 3 {
		s := &script{first: 10 * time.Millisecond, each: time.Millisecond, tokens: 2}
		plan := PointPlan{Asks: asks(40), WarmUp: asks(8), Share: shard.Share{Index: i, Of: 3},
			Load: pattern(t, arrival.LoadFlags{Concurrency: "7", Requests: "40"})}
		var start time.Time
		synctestAt(t, &start, func(t *testing.T) {
			plan.Start = start
			p := measuredNow(t, s, plan)
			seen := map[int]bool{}
			for _, r := range p.Requests {
				seen[r.User] = true
				if !r.WarmUp {
					rows[r.Row]++
				}
				if at := p.Began.Add(time.Duration(r.Due)); at.Before(start) {
					t.Errorf("a request is due %v before the start", start.Sub(at))
				}
			}
			if got, want := int(s.written.Load()), plan.Share.Count(40)+plan.Share.Count(8); got != want {
				t.Errorf("share %v writes %d requests, want %d", plan.Share, got, want)
			}
			for user := range seen {
				users[user]++
			}
			if p.Window == nil || s.peak != plan.Share.Count(7) {
				t.Errorf("share %v: window %v, %d at a time", plan.Share, p.Window, s.peak)
			}
		})
	}
	if len(users) != 7 || len(rows) != 40 {
		t.Errorf("%d users and %d rows, want 7 and 40", len(users), len(rows))
	}
	for row, n := range rows {
		if n != 1 {
			t.Errorf("row %d was asked %d times", row, n)
		}
	}
	for user, n := range users {
		if n != 1 {
			t.Errorf("user %d is of %d shares", user, n)
		}
	}
}

// TestAShareWithoutUsers cannot be run: nobody would ask.
func TestAShareWithoutUsers(t *testing.T) {
	for _, flags := range []arrival.LoadFlags{{Concurrency: "2", Requests: "4"},
		{Rate: "5", Concurrency: "2", Requests: "4"}} {
		plan := PointPlan{Asks: asks(4), Load: pattern(t, flags), Share: shard.Share{Index: 2, Of: 3}}
		if _, err := Measure(t.Context(), &script{}, plan); err == nil {
			t.Errorf("%+v: no error", flags)
		}
	}
}

// synctestAt is synctest.Test with a start a second away, which is the same in each.
func synctestAt(t *testing.T, start *time.Time, do func(*testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		*start = time.Now().Add(time.Second).Round(0)
		do(t)
	})
}

func measuredNow(t *testing.T, s *script, plan PointPlan) *MeasuredPoint {
	t.Helper()
	p, err := Measure(loadgentest.WithSleep(t.Context()), s, plan)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
