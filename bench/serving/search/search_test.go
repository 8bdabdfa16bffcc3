package search_test

import (
	"container/heap"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/bench/serving/objective"
	"github.com/plumbline-ml/plumbline/bench/serving/search"
)

type times []int64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(int64)) }
func (t *times) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}

// server works on slots of requests at a time, 200 to 600 ms each; its first token comes 20 ms after the work began.
// All is on virtual time.
type server struct {
	slots int
	rng   *rand.Rand
}

func (s server) answer(due, begin int64) (r measure.Request) {
	end := begin + int64((0.2+0.4*s.rng.Float64())*1e9)
	r = measure.Request{Due: due, Sent: due, End: end, Status: measure.OK, Usage: measure.NoUsage(),
		Retokenized: measure.Unknown, AskedIn: measure.Unknown, AskedOut: measure.Unknown}
	r.Events.Add(measure.Event{At: begin + 20e6, Kind: measure.Content, Text: true, IDs: 1})
	r.Events.Add(measure.Event{At: end, Kind: measure.Content, Text: true, IDs: 1})
	return r
}

// rate are n requests that arrive at a rate.
func (s server) rate(n int, perSecond float64) []measure.Request {
	free := make(times, s.slots)
	all := make([]measure.Request, 0, n)
	at := int64(0)
	for range n {
		at += int64(s.rng.ExpFloat64() / perSecond * 1e9)
		r := s.answer(at, max(at, heap.Pop(&free).(int64)))
		heap.Push(&free, r.End)
		all = append(all, r)
	}
	return all
}

// users are n requests of so many users, who ask again at once, after five times that each has asked: at the first all
// come together.
func (s server) users(n, users int) []measure.Request {
	free, idle := make(times, s.slots), make(times, users)
	all := make([]measure.Request, 0, n+5*users)
	for range n + 5*users {
		due := heap.Pop(&idle).(int64)
		r := s.answer(due, max(due, heap.Pop(&free).(int64)))
		heap.Push(&free, r.End)
		heap.Push(&idle, r.End)
		all = append(all, r)
	}
	return all[5*users:]
}

// objectives are those of all searches here.
func objectives(t *testing.T) objective.Objectives {
	t.Helper()
	o, err := objective.Parse("p99 ttft < 300ms")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func held(o objective.Objectives, all []measure.Request) bool {
	return objective.Held(o.Judge(measure.Of(all, measure.Rules{Limits: o.Each(), Percentiles: o.Percentiles()})))
}

// top is the highest load that holds in the long run: by runs that are much longer than trials.
func top(t *testing.T, low, high, precision float64, holds func(value float64) bool) float64 {
	t.Helper()
	if !holds(low) || holds(high) {
		t.Fatalf("the top is not between %v and %v", low, high)
	}
	for high-low > precision {
		if mid := (low + high) / 2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// TestFindRate: with 20 seeds the rate that is found is within 5 % of the true one in at least 18, in trials of two
// minutes. One of 60 s says little of this server: at 31 requests a second it holds in 93 of 100, at 35 in 27.
func TestFindRate(t *testing.T) {
	o := objectives(t)
	const slots = 16
	peak := top(t, 25, 40, 0.2, func(rate float64) bool {
		return held(o, server{slots, rand.New(rand.NewPCG(1, 2))}.rate(60_000, rate))
	})
	good, trials, virtual := 0, 0, 0.0
	for seed := range uint64(20) {
		s := server{slots, rand.New(rand.NewPCG(seed, 77))}
		try := func(_ context.Context, l search.Load) (search.Outcome, error) {
			const seconds = 120
			virtual += seconds
			all := s.rate(int(seconds*l.Value)+1, l.Value)
			ok := held(o, all) && !measure.Stationary(all, measure.Issued(all), measure.Rules{}).Rises
			return search.Outcome{Held: ok}, nil
		}
		found, err := search.Search{Start: 1 + float64(seed), Try: try}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		trials += len(found.Trials)
		if math.Abs(found.Value-peak) <= 0.05*peak {
			good++
		} else {
			t.Logf("seed %d: %v after %d trials, the top is %v", seed, found.Value, len(found.Trials), peak)
		}
		last := found.Trials[len(found.Trials)-1]
		if !last.Confirms || last.Value != found.Value || !last.Held {
			t.Errorf("seed %d: %v was found, and the last trial is %+v", seed, found.Value, last)
		}
	}
	t.Logf("the top is %.3v requests/s; within 5 %% in %d of 20, %.3v trials and %.3v s on average", peak, good,
		float64(trials)/20, virtual/20)
	if good < 18 {
		t.Errorf("within 5 %% of %v in %d of 20 seeds, want 18", peak, good)
	}
}

// TestFindUsers is the same over whole numbers of users.
func TestFindUsers(t *testing.T) {
	o := objectives(t)
	for _, slots := range []int{3, 16, 40} {
		peak := math.Floor(top(t, 1, float64(4*slots), 0.5, func(users float64) bool {
			ok := held(o, server{slots, rand.New(rand.NewPCG(1, 2))}.users(10_000, int(users)))
			return ok
		}))
		good := 0
		for seed := range uint64(20) {
			s := server{slots, rand.New(rand.NewPCG(seed, 78))}
			try := func(_ context.Context, l search.Load) (search.Outcome, error) {
				if l.Value != math.Trunc(l.Value) || l.Value < 1 {
					t.Fatalf("%v users", l.Value)
				}
				ok := held(o, s.users(max(600, 30*int(l.Value)), int(l.Value)))
				return search.Outcome{Held: ok}, nil
			}
			found, err := search.Search{Users: true, Try: try}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(found.Value-peak) <= max(1, 0.05*peak) {
				good++
			} else {
				t.Logf("%d slots, seed %d: %v after %d trials, the top is %v", slots, seed, found.Value,
					len(found.Trials), peak)
			}
		}
		if good < 18 {
			t.Errorf("%d slots: within 5 %%, or one user, of %v in %d of 20 seeds, want 18", slots, peak, good)
		}
	}
}

// exact is a server that holds up to a load.
func exact(top float64, tried *[]search.Load) func(context.Context, search.Load) (search.Outcome, error) {
	return func(_ context.Context, l search.Load) (search.Outcome, error) {
		*tried = append(*tried, l)
		return search.Outcome{Held: l.Value <= top}, nil
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     search.Search
		top   float64
		least float64
		most  float64
		bound bool
	}{
		{"far above the start", search.Search{}, 700, 665, 700, false},
		{"far below the start", search.Search{Start: 100}, 0.3, 0.285, 0.3, false},
		{"never", search.Search{}, 0, 0, 0, false},
		{"one user", search.Search{Users: true}, 1, 1, 1, false},
		{"two users", search.Search{Users: true, Start: 64}, 2, 2, 2, false},
		{"no user", search.Search{Users: true}, 0, 0, 0, false},
		{"seven users", search.Search{Users: true}, 7, 7, 7, false},
		{"bound", search.Search{Highest: 100}, 1e9, 100, 100, true},
		{"bound from the start", search.Search{Highest: 100, Start: 100}, 1e9, 100, 100, true},
		{"a sweep", search.Search{Made: []search.Trial{
			{Load: search.Load{Value: 10}, Outcome: search.Outcome{Held: true}},
			{Load: search.Load{Value: 40}}, {Load: search.Load{Value: 30}},
		}}, 20, 19, 20, false},
		{"a sweep below all", search.Search{Made: []search.Trial{{Load: search.Load{Value: 10}}}}, 1.2, 1.14, 1.2, false},
	} {
		var tried []search.Load
		c.s.Try = exact(c.top, &tried)
		found, err := c.s.Run(t.Context())
		if err != nil || found.Value < c.least || found.Value > c.most || found.Bound != c.bound ||
			len(found.Trials) != len(tried) || len(tried) > 30 {
			t.Errorf("%s: %+v, %v", c.name, found, err)
		}
		for _, l := range tried {
			if c.s.Highest > 0 && l.Value > c.s.Highest {
				t.Errorf("%s: %v was tried", c.name, l.Value)
			}
		}
	}
}

// TestFindStepsBack: what probes found and a trial of full length does not confirm is lowered, and none is tried to be
// confirmed twice.
func TestFindStepsBack(t *testing.T) {
	seen := map[float64]bool{}
	found, err := search.Search{Users: true, Try: func(_ context.Context, l search.Load) (search.Outcome, error) {
		if l.Confirms && seen[l.Value] {
			t.Errorf("%v users were tried twice", l.Value)
		}
		seen[l.Value] = seen[l.Value] || l.Confirms
		return search.Outcome{Held: l.Value <= 8 && !l.Confirms || l.Value <= 6}, nil
	}}.Run(t.Context())
	if err != nil || found.Value != 6 {
		t.Errorf("%+v, %v, want 6", found, err)
	}
}

// TestFindWithMoreRequests: a trial that cannot tell is made again with more, as long as more are allowed.
func TestFindWithMoreRequests(t *testing.T) {
	var tried []search.Load
	found, err := search.Search{Users: true, Try: func(_ context.Context, l search.Load) (search.Outcome, error) {
		tried = append(tried, l)
		return search.Outcome{Held: l.Value <= 3, Unclear: l.Value == 3 && l.Times < 8 || l.Value == 4, Most: l.Times == 4 &&
			l.Value == 4}, nil
	}}.Run(t.Context())
	most := map[float64]int{}
	for _, l := range tried {
		most[l.Value] = max(most[l.Value], l.Times)
	}
	if err != nil || found.Value != 3 || most[2] != 1 || most[3] != 8 || most[4] != 4 {
		t.Errorf("%v, %v, %v", found, most, err)
	}
}

func TestFindEndsWithAnError(t *testing.T) {
	broken := errors.New("the server is gone")
	n := 0
	found, err := search.Search{Try: func(context.Context, search.Load) (search.Outcome, error) {
		if n++; n == 4 {
			return search.Outcome{}, broken
		}
		return search.Outcome{Held: true}, nil
	}}.Run(t.Context())
	if !errors.Is(err, broken) || found.Value != 0 || len(found.Trials) != 3 {
		t.Errorf("%+v, %v", found, err)
	}
}
