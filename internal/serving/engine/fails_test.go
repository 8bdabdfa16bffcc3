package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// A server that fails ends a point by errors: without one good answer whatever the number of requests is, and with
// more failures than there may be, also those that only the end of the grace period finds.
func TestAServerThatFails(t *testing.T) {
	after := func(good int64) func(n int64) time.Duration { // it answers so many, and then none
		return func(n int64) time.Duration {
			if n < good {
				return 10 * time.Millisecond
			}
			return time.Hour
		}
	}
	each := func(k int64, of time.Duration) func(n int64) time.Duration { // one of k takes so long
		return func(n int64) time.Duration {
			if n%k == 0 {
				return of
			}
			return 10 * time.Millisecond
		}
	}
	always := func(st metrics.Status) func(int64) metrics.Status {
		return func(int64) metrics.Status { return st }
	}
	share := func(p float64) *MaxErrors { return &MaxErrors{Share: p} }
	type test struct {
		name  string
		s     *script
		flags arrival.LoadFlags
		max   *MaxErrors
		fails bool
	}
	var tests []test
	for _, n := range []string{"1", "2", "5", "12", "19", "20", "25"} {
		for _, st := range []metrics.Status{"http_500", "http_429", metrics.Cut, metrics.Refused, metrics.Faulty,
			metrics.Empty} {
			tests = append(tests, test{
				name: n + " " + string(st), s: &script{tokens: 4, status: always(st)},
				flags: arrival.LoadFlags{Concurrency: "1", Requests: n}, fails: true,
			})
		}
	}
	users := arrival.LoadFlags{Concurrency: "2", Duration: "4s"}
	rate := arrival.LoadFlags{Rate: "10", Duration: "5s", Seed: 1}
	tests = append(tests,
		test{"silent", &script{slow: after(0), tokens: 2}, users, nil, true},
		test{"one token and then silent", &script{first: time.Millisecond, each: time.Hour, tokens: 2}, users, nil, true},
		test{"silent, a rate", &script{slow: after(0), tokens: 2}, rate, nil, true},
		test{"silent, all at once", &script{slow: after(0), tokens: 2}, arrival.LoadFlags{Max: true, Duration: "4s"}, nil,
			true},
		test{"dead after two", &script{slow: after(2), tokens: 2}, rate, nil, true},
		test{"each third hangs", &script{slow: each(3, time.Hour), tokens: 2}, rate, nil, true},
		test{"each twentieth hangs", &script{slow: each(20, time.Hour), tokens: 2}, rate, nil, false},
		test{"each twentieth hangs, and none may", &script{slow: each(20, time.Hour), tokens: 2}, rate, new(MaxErrors), true},
		test{"each third hangs, and half may", &script{slow: each(3, time.Hour), tokens: 2}, rate, share(0.5), false},
		test{"one of three, of few", &script{first: time.Millisecond, tokens: 2, status: func(n int64) metrics.Status {
			if n == 0 {
				return metrics.Cut
			}
			return ""
		}}, arrival.LoadFlags{Concurrency: "1", Requests: "3"}, nil, false},
		test{"all are answered", &script{first: time.Millisecond, tokens: 2}, users, nil, false},
	)
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			plan := PointPlan{Asks: asks(60), Load: pattern(t, c.flags), Grace: 3 * time.Second, MaxErrors: c.max}
			measured(t, c.s, plan, func(t *testing.T, p *MeasuredPoint) {
				if fails := p.StopReason == ByErrors; fails != c.fails {
					t.Errorf("ended by %s, want by errors: %v; %v", p.StopReason, c.fails, counted(p))
				}
			})
		})
	}
}

// Warming up takes no longer than the point itself may, however the server behaves: what is left of it is not asked.
func TestWarmUpIsBounded(t *testing.T) {
	for _, flags := range []arrival.LoadFlags{
		{Concurrency: "2", Duration: "4s"}, {Rate: "2", Duration: "4s"}, {Stages: "2:4s"}, {Concurrency: "1"},
	} {
		t.Run(fmt.Sprintf("%+v", flags), func(t *testing.T) {
			bound := 4 * time.Second
			if flags.Duration == "" && flags.Stages == "" {
				bound = arrival.DefaultDuration
			}
			bound += 3 * time.Second
			s := &script{tokens: 2, slow: func(int64) time.Duration { return time.Hour }}
			plan := PointPlan{Asks: asks(60), WarmUp: asks(8), Load: pattern(t, flags), Grace: 3 * time.Second}
			began := time.Duration(0)
			measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
				warm := 0
				for i := range p.Requests {
					if r := &p.Requests[i]; r.WarmUp {
						warm++
						began = min(began, time.Duration(r.Due))
						if r.Status != metrics.Unfinished {
							t.Errorf("a request that warms up is %s, want unfinished", r.Status)
						}
					}
				}
				if p.StopReason != ByErrors || warm == 0 || -began > bound+10*time.Millisecond {
					t.Errorf("ended by %s, %d warmed up from %v on, want at most %v before", p.StopReason, warm, began, bound)
				}
			})
		})
	}
}
