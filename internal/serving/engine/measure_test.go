package engine

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Requests of a rate are sent at LoadGen's nanoseconds, counted from the beginning of the measurement, behind those
// that warm up.
func TestARateIsLoadGens(t *testing.T) {
	want, err := loadgen.ServerArrivals(50, 7, 200, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{first: 300 * time.Millisecond, each: 10 * time.Millisecond, tokens: 4}
	var progress PointProgress
	plan := PointPlan{
		Asks: asks(200), WarmUp: asks(8), Load: pattern(t, arrival.LoadFlags{Rate: "50", Requests: "200", Seed: 7}),
		Progress: &progress,
	}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		if len(p.Requests) != 208 || p.StopReason != ByRequests || p.Window != nil || p.Notes != nil || p.Rounds != 1 {
			t.Fatalf("%d requests, %+v", len(p.Requests), p)
		}
		for i, r := range p.Requests {
			if r.Index != i || r.WarmUp != (i < 8) || r.Status != metrics.OK || r.End-r.Sent != 330e6 {
				t.Fatalf("request %d: %+v", i, r)
			}
			if i < 8 {
				if r.End > 0 {
					t.Errorf("a request that warms up ended %d ns into the measurement", r.End)
				}
				continue
			}
			if r.Due != want[i-8] || r.Sent != r.Due || r.Row != i-8 {
				t.Fatalf("request %d of row %d is due at %d and sent at %d, want %d", i-8, r.Row, r.Due, r.Sent, want[i-8])
			}
			for e := range r.Events.All() {
				if e.At != r.Due+300e6 {
					t.Errorf("the first token came at %d, due at %d", e.At, r.Due)
				}
				break
			}
		}
	})
	if c := progress.Now(); c != (RequestCounts{WarmUp: 8, Sent: 200, Ended: 200, TokenEvents: 800}) {
		t.Errorf("%+v", c)
	}
}

// Users go on from warm-up into the measurement, each for itself: with answers of unlike lengths nobody waits for
// another, and as many are under way as there are users.
func TestUsersMakeNoSecondWave(t *testing.T) {
	s := &script{each: time.Millisecond, tokens: 2}
	s.slow = func(n int64) time.Duration { return time.Duration(100+37*(n%5)) * time.Millisecond }
	plan := PointPlan{Asks: asks(100), WarmUp: asks(8), Load: pattern(t, arrival.LoadFlags{Concurrency: "4",
		Requests: "100"})}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		if n := counted(p); n[metrics.OK] != 100 || p.StopReason != ByRequests || s.peak != 4 || p.Rounds != 1 {
			t.Fatalf("%v, %s, %d at a time", n, p.StopReason, s.peak)
		}
		last := map[int]int64{}
		for i, r := range p.Requests {
			if before, ok := last[r.User]; ok && r.Due != before || r.Sent != r.Due {
				t.Errorf("request %d is due at %d and sent at %d, the answer before came at %d", i, r.Due, r.Sent, before)
			}
			last[r.User] = r.End
		}
		// From when the last of the four sent a measured request to when the first found none.
		if p.Window == nil {
			t.Fatal("there is no window")
		}
		seen := map[int]bool{}
		for _, r := range p.Requests {
			if !r.WarmUp && !seen[r.User] {
				seen[r.User] = true
				if r.Sent > p.Window.From {
					t.Errorf("user %d sent its first at %d, the window is from %d", r.User, r.Sent, p.Window.From)
				}
			}
		}
		if got, want := p.Window.To, slices.Min(slices.Collect(maps.Values(last))); got != want {
			t.Errorf("the window is to %d, the first user was done at %d", got, want)
		}
		f := metrics.ComputeFigures(p.Requests, metrics.FigureRules{Window: p.Window})
		if f.ConcurrencyMean < 3.999 || f.ConcurrencyMean > 4.001 {
			t.Errorf("%v under way on average", f.ConcurrencyMean)
		}
	})
}

// A duration ends the sending; what is under way then may go on for the grace period.
func TestADurationOfUsers(t *testing.T) {
	s := &script{first: 700 * time.Millisecond, each: time.Millisecond, tokens: 1}
	s.slow = func(n int64) time.Duration {
		if n == 20 {
			return time.Hour
		}
		return s.first
	}
	plan := PointPlan{
		Asks: asks(10), Load: pattern(t, arrival.LoadFlags{Concurrency: "2", Duration: "10s", Think: "300ms"}),
		Grace: 5 * time.Second,
	}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		n := counted(p)
		// One every second by each of the two: the last are sent at 9 s, and the one that never ends comes with number 20.
		if n[metrics.OK] != 20 || n[metrics.Unfinished] != 0 || p.StopReason != ByDuration {
			t.Fatalf("%v, %s", n, p.StopReason)
		}
		if p.Rounds != 2 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "up to 2 times") {
			t.Errorf("%d rounds, notes %q", p.Rounds, p.Notes)
		}
		if p.Window == nil || p.Window.From != 0 || p.Window.To != 10e9 {
			t.Errorf("window %+v", p.Window)
		}
	})
	s = &script{tokens: 1, slow: func(n int64) time.Duration {
		if n == 3 {
			return time.Hour
		}
		return time.Second
	}}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		if n := counted(p); n[metrics.Unfinished] != 1 || n[metrics.OK] < 8 {
			t.Fatalf("%v", n)
		}
		last := slices.MaxFunc(p.Requests, func(a, b metrics.Request) int { return int(a.End - b.End) })
		if last.End != 15e9 {
			t.Errorf("the last ended at %d, want 15 s", last.End)
		}
	})
}

// Who says nothing gets a minute, and a hundred requests, and ten minutes at most.
func TestUsersWithoutAnEnd(t *testing.T) {
	for _, c := range []struct {
		answer time.Duration
		want   int
		length int64
	}{{500 * time.Millisecond, 120, 60e9}, {time.Second, 100, 100e9}, {10 * time.Second, 60, 600e9}} {
		s := &script{first: c.answer, tokens: 1}
		plan := PointPlan{Asks: asks(500), Load: pattern(t, arrival.LoadFlags{Concurrency: "1"}), Grace: time.Minute}
		measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
			n := counted(p)
			if n[metrics.OK] != c.want || p.StopReason != ByDuration {
				t.Errorf("answers of %v: %v, %s, want %d", c.answer, n, p.StopReason, c.want)
			}
			if end := p.Requests[len(p.Requests)-1].End; end != c.length {
				t.Errorf("answers of %v: the end is at %d", c.answer, end)
			}
		})
	}
}

// With a rate and a number of users, so many are under way at most; waiting counts.
func TestACapCountsWaiting(t *testing.T) {
	s := &script{first: time.Second, tokens: 1}
	plan := PointPlan{Asks: asks(20), Load: pattern(t, arrival.LoadFlags{
		Rate: "10", Arrival: "constant", Concurrency: "2", Requests: "20",
	})}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		if s.peak != 2 || counted(p)[metrics.OK] != 20 {
			t.Fatalf("%d at a time, %v", s.peak, counted(p))
		}
		for i, r := range p.Requests {
			due := int64(i) * 1e8
			if sent := int64(i/2)*1e9 + int64(i%2)*1e8; r.Due != due || r.Sent != sent {
				t.Errorf("request %d is due at %d and sent at %d, want %d and %d", i, r.Due, r.Sent, due, sent)
			}
		}
	})
	plan.Load.Requests, plan.Load.Duration, plan.Grace = 0, 2*time.Second, 3*time.Second
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		// 20 are due in 2 s; two each second are answered until 5 s, and all others were due.
		if n := counted(p); n[metrics.OK]+n[metrics.Unfinished] != 20 || n[metrics.OK] < 8 || n[metrics.OK] > 10 {
			t.Errorf("%v", n)
		}
	})
}

func TestMaximumIsSentAtOnce(t *testing.T) {
	s := &script{first: time.Second, tokens: 1, most: 5}
	plan := PointPlan{Asks: asks(20), WarmUp: asks(3), Load: pattern(t, arrival.LoadFlags{Max: true})}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		if n := counted(p); n[metrics.OK] != 20 || p.StopReason != ByRequests {
			t.Fatalf("%v, %s", n, p.StopReason)
		}
		for _, r := range p.Requests {
			if !r.WarmUp && (r.Due != 0 || r.Sent != 0) {
				t.Errorf("due at %d, sent at %d", r.Due, r.Sent)
			}
		}
	})
}

// What comes on a ramp counts in no figure.
func TestARampIsOutside(t *testing.T) {
	s := &script{first: time.Second, tokens: 1}
	plan := PointPlan{Asks: asks(80), Load: pattern(t, arrival.LoadFlags{
		Rate: "10", Arrival: "constant", Ramp: "2:5s", Requests: "80",
	})}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		for _, r := range p.Requests {
			if r.WarmUp != (r.Due < 5e9) {
				t.Fatalf("due at %d, warm-up %v", r.Due, r.WarmUp)
			}
		}
		if n := counted(p)[metrics.OK]; n != 50 {
			t.Errorf("%d requests behind the ramp, want 50", n)
		}
	})
	plan.Load = pattern(t, arrival.LoadFlags{Concurrency: "4", Ramp: "8s", Requests: "60"})
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		if p.Window == nil || p.Window.From != 6e9 {
			t.Errorf("the last of four users begins at 6 s; the window is %+v", p.Window)
		}
	})
}

func TestTooManyErrors(t *testing.T) {
	refused := func(every int64) func(int64) metrics.Status {
		return func(n int64) metrics.Status {
			if n%every == every-1 {
				return statusTooMany
			}
			return ""
		}
	}
	for _, c := range []struct {
		every int64
		max   *MaxErrors
		ended StopReason
		least int
	}{
		{5, nil, ByErrors, 20}, {20, nil, ByRequests, 100}, {20, &MaxErrors{Count: 1}, ByErrors, 40},
		{20, &MaxErrors{Count: 5}, ByRequests, 100}, {2, &MaxErrors{Share: 0.6}, ByRequests, 100},
		{2, &MaxErrors{Share: 0.4}, ByErrors, 20}, {1, &MaxErrors{Share: 1}, ByErrors, 100}, // not one good answer
	} {
		s := &script{first: time.Second, tokens: 1, status: refused(c.every)}
		plan := PointPlan{Asks: asks(100), Load: pattern(t, arrival.LoadFlags{Concurrency: "1", Requests: "100"}),
			MaxErrors: c.max}
		measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
			n := counted(p)
			if got := n[metrics.OK] + n[statusTooMany]; p.StopReason != c.ended || got != c.least {
				t.Errorf("one of %d fails, %+v: ended by %s after %v", c.every, c.max, p.StopReason, n)
			}
		})
	}
}

// A request that is sent again is one request: its time goes on from when it was due.
func TestRetry(t *testing.T) {
	s := &script{first: time.Second, tokens: 1, status: func(n int64) metrics.Status {
		if n < 2 {
			return statusBusy
		}
		return ""
	}}
	plan := PointPlan{Asks: asks(3), Load: pattern(t, arrival.LoadFlags{Concurrency: "1", Requests: "3"}), MaxRetries: 2}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		r := p.Requests[0]
		if len(p.Requests) != 3 || p.Client.Retries != 2 || r.Status != metrics.OK || r.Due != 0 || r.Sent != 275e7 {
			t.Errorf("%d requests, %d retries, the first %+v", len(p.Requests), p.Client.Retries, r)
		}
	})
}

// The end of the context keeps what was done.
func TestInterrupted(t *testing.T) {
	for _, f := range []arrival.LoadFlags{{Concurrency: "3"}, {Rate: "3", Arrival: "constant"}} {
		s := &script{first: 900 * time.Millisecond, tokens: 1}
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(loadgentest.WithSleep(t.Context()), 10*time.Second)
			defer cancel()
			p, err := Measure(ctx, s, PointPlan{Asks: asks(50), Load: pattern(t, f)})
			if err != nil {
				t.Fatal(err)
			}
			n := counted(p)
			if p.StopReason != ByCaller || n[metrics.OK] < 26 || n[metrics.OK] > 33 || n[metrics.Cancelled] < 1 || len(n) != 2 {
				t.Errorf("%v: %v, %s", f, n, p.StopReason)
			}
		})
	}
}

func TestFaultsOfPlans(t *testing.T) {
	bad := asks(30)
	bad[17].Text = "bad"
	users := arrival.Pattern{Kind: arrival.Users, Users: 1}
	for want, plan := range map[string]PointPlan{
		"nothing to ask for":           {Load: users},
		"there is no load":             {Asks: asks(1)},
		"a closed loop without users":  {Asks: asks(1), Load: arrival.Pattern{Kind: arrival.Users}},
		"a grace period of -1ns":       {Asks: asks(1), Load: users, Grace: -1},
		"-1 more tries":                {Asks: asks(1), Load: users, MaxRetries: -1},
		"request 18 of the data: it c": {Asks: bad, Load: users},
		"row 1 of the data has no tim": {Asks: asks(2), Load: arrival.Pattern{Kind: arrival.Replay}},
	} {
		if _, err := Measure(t.Context(), &script{}, plan); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestParseMaxErrors(t *testing.T) {
	for text, want := range map[string]MaxErrors{
		"5": {Count: 5}, "0": {}, "10%": {Share: 0.1}, " 2.5 % ": {Share: 0.025},
	} {
		if got, err := ParseMaxErrors(text); err != nil || got != want {
			t.Errorf("%q: %+v, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1", "0%", "101%", "x%", "NaN%", "1.5"} {
		if got, err := ParseMaxErrors(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// many is a server that answers at once, with so many tokens.
type many struct {
	script
	each int
}

func (s *many) Ask(_ context.Context, _ Prepared, clock Clock, r *metrics.Request) {
	r.Sent = clock.Now()
	for range s.each {
		r.Events.Add(metrics.StreamEvent{At: clock.Now(), Kind: metrics.Content, Text: true, IDs: 1})
	}
	r.End, r.Status = clock.Now(), metrics.OK
}

// What a request costs in allocations does not depend on how many tokens its answer has.
func TestNothingIsAllocatedPerToken(t *testing.T) {
	const requests, tokens = 500, 2000
	for _, exact := range []bool{true, false} {
		list := asks(10)
		for i := range list {
			list[i].MaxTokens, list[i].Exact = tokens, exact
		}
		plan := PointPlan{Asks: list, Load: arrival.Pattern{Kind: arrival.Users, Users: 2, Requests: requests}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := Measure(t.Context(), &many{each: tokens}, plan)
		runtime.ReadMemStats(&after)
		if err != nil || len(p.Requests) != requests || p.Requests[0].Events.Len() != tokens {
			t.Fatalf("%d requests, error %v", len(p.Requests), err)
		}
		if each := float64(after.Mallocs-before.Mallocs) / requests; each > 40 {
			t.Errorf("exact %t: %.1f allocations for a request of %d tokens", exact, each, tokens)
		}
	}
}

// TestGraceAfterRequests: what a number of requests ended is waited for, unless the grace period bounds that, too: from
// when the last was sent.
func TestGraceAfterRequests(t *testing.T) {
	for name, flags := range map[string]arrival.LoadFlags{
		"users": {Concurrency: "4", Requests: "10"}, "as many users": {Concurrency: "10", Requests: "10"},
		"rate": {Rate: "10", Arrival: "constant", Requests: "10"}, "maximum": {Max: true, Requests: "10"},
	} {
		for _, bound := range []bool{false, true} {
			s := &script{tokens: 1, slow: func(n int64) time.Duration {
				if n >= 8 {
					return time.Hour
				}
				return 100 * time.Millisecond
			}}
			plan := PointPlan{Asks: asks(10), Load: pattern(t, flags), Grace: 5 * time.Second, GraceAlways: bound}
			measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
				n, last := counted(p), int64(0)
				for _, r := range p.Requests {
					last = max(last, r.End)
				}
				if p.StopReason != ByRequests || bound && (n[metrics.OK] != 8 || n[metrics.Unfinished] != 2 || last > 7e9) ||
					!bound && (n[metrics.OK] != 10 || last < 3600e9) {
					t.Errorf("%s, bound %v: %v, ended by %s at %d", name, bound, n, p.StopReason, last)
				}
			})
		}
	}
}
