package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/search"
)

type try = func(context.Context, search.Load) (search.Outcome, error)

// exact is a server that holds up to a load, and a client that can send up to another; below least there are too few
// requests.
func exact(top, client, least float64, tried *[]search.Load) try {
	return func(_ context.Context, l search.Load) (search.Outcome, error) {
		*tried = append(*tried, l)
		switch {
		case client > 0 && l.Value > client:
			return search.Outcome{Verdict: search.VerdictClient}, nil
		case l.Value <= top && l.Value < least:
			return search.Outcome{Verdict: search.VerdictFew}, nil
		}
		return told(l.Value <= top), nil
	}
}

// TestEnds: what ends a search is one of three things, or that no load holds, or all do.
func TestEnds(t *testing.T) {
	users := search.Search{Users: true}
	for _, c := range []struct {
		name               string
		s                  search.Search
		top, client, least float64
		ended              search.EndReason
		holds              float64 // at least this; the highest is 5 %, or a user, above
		at                 float64 // of the client's limit, or of too few requests
	}{
		{"far above the start", search.Search{}, 700, 0, 0, search.EndedByServer, 666, 0},
		{"far below the start", search.Search{Start: 100}, 0.3, 0, 0, search.EndedByServer, 0.285, 0},
		{"at the start", search.Search{Start: 16}, 16, 0, 0, search.EndedByServer, 15.2, 0},
		{"one user", users, 1, 0, 0, search.EndedByServer, 1, 0},
		{"two users", search.Search{Users: true, Start: 64}, 2, 0, 0, search.EndedByServer, 2, 0},
		{"seven users", users, 7, 0, 0, search.EndedByServer, 7, 0},
		{"no user", users, 0, 0, 0, search.EndedByNone, 0, 0},
		{"no user of 64", search.Search{Users: true, Start: 64}, 0, 0, 0, search.EndedByNone, 0, 0},
		{"no more may be tried", search.Search{Max: 100}, 1e9, 0, 0, search.EndedByMax, 100, 0},
		{"the most from the start", search.Search{Max: 100, Start: 100}, 1e9, 0, 0, search.EndedByMax, 100, 0},
		{"the client is slower", search.Search{}, 700, 100, 0, search.EndedByClient, 95, 100},
		{"the client is slower than users", users, 700, 5, 0, search.EndedByClient, 5, 6},
		{"the client is just faster", search.Search{}, 100, 106, 0, search.EndedByServer, 95, 0},
		{"the client is slow at the start", search.Search{Start: 50}, 700, 20, 0, search.EndedByClient, 19, 20},
		{"the client is slow at all loads", search.Search{Start: 50}, 700, 0.001, 0, search.EndedByClient, 0, 12.5},
		{"the client is slow at each number of users", search.Search{Users: true, Start: 9}, 50, 0.5, 0,
			search.EndedByClient, 0,
			2},
		{"the least rate is too high", search.Search{Start: 50, Min: 25}, 16, 0, 0, search.EndedByFew, 0, 0},
		{"the least rate is the start", search.Search{Start: 1, Min: 25}, 16, 0, 0, search.EndedByFew, 0, 0},
		{"the least rate holds", search.Search{Start: 1, Min: 25}, 100, 0, 0, search.EndedByServer, 95, 0},
		{"few users are too few", users, 40, 0, 8, search.EndedByServer, 38, 0},
		{"few users are too few, many too many", users, 7, 0, 8, search.EndedByFew, 0, 6},
		{"no load has enough", search.Search{}, 1e9, 0, 1e9, search.EndedByFew, 0, 8},
	} {
		var tried []search.Load
		c.s.Try = exact(c.top, c.client, c.least, &tried)
		found, err := c.s.Run(t.Context())
		above := max(1.06*c.holds, 1)
		if err != nil || found.Ended != c.ended || found.Holds < c.holds || found.Holds > above || found.Holds > c.top ||
			len(found.Trials) != len(tried) || len(tried) > 30 {
			t.Errorf("%s: %v, %+v", c.name, err, found)
		}
		if at := found.ClientAt + found.FewAt; at < c.at || at > max(1.06*c.at, 0) {
			t.Errorf("%s: the client is the limit at %v, few requests at %v; want %v", c.name, found.ClientAt, found.FewAt,
				c.at)
		}
		if found.Ended == search.EndedByServer {
			confirmed(t, found)
		}
		for _, l := range tried {
			if c.s.Max > 0 && l.Value > c.s.Max || l.Value < c.s.Min {
				t.Errorf("%s: %v was tried", c.name, l.Value)
			}
		}
	}
}

// TestBusyClient: on a machine that spoils trials a search is right, or ends by the client, after a bounded number of
// them, and says of the server no more than it can do.
func TestBusyClient(t *testing.T) {
	for _, share := range []float64{0.3, 0.5, 0.7, 0.9} {
		for seed := range uint64(40) {
			random := rand.New(rand.NewPCG(seed, 1))
			found, err := search.Search{Start: 20, Try: func(_ context.Context, l search.Load) (search.Outcome, error) {
				if random.Float64() < share {
					return search.Outcome{Verdict: search.VerdictClient}, nil
				}
				return told(l.Value <= 500), nil
			}}.Run(t.Context())
			right := found.Ended == search.EndedByClient || found.Ended == search.EndedByServer && found.Holds >= 450
			if err != nil || found.Holds > 500 || len(found.Trials) > 80 || !right {
				t.Errorf("%v spoilt, seed %d: %v, %s, holds %v, %d trials", share, seed, err, found.Ended, found.Holds,
					len(found.Trials))
			}
		}
	}
}

// TestHopeless: where even the quickest request misses, no lower rate is better.
func TestHopeless(t *testing.T) {
	var tried []search.Load
	found, err := search.Search{Start: 50, Try: func(_ context.Context, l search.Load) (search.Outcome, error) {
		tried = append(tried, l)
		return search.Outcome{Verdict: search.VerdictMissed, Hopeless: true}, nil
	}}.Run(t.Context())
	if err != nil || found.Ended != search.EndedByNone || len(tried) > 4 || tried[len(tried)-1].Value != 50 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestTooLow: a throughput that is to be reached is missed by low loads, which is no reason to try lower ones.
func TestTooLow(t *testing.T) {
	for most, want := range map[float64]search.EndReason{20: search.EndedByServer, 8: search.EndedByNone} {
		found, err := search.Search{Try: func(_ context.Context, l search.Load) (search.Outcome, error) {
			switch {
			case l.Value > most:
				return told(false), nil
			case l.Value < 10:
				return search.Outcome{Verdict: search.VerdictTooLow}, nil
			}
			return told(true), nil
		}}.Run(t.Context())
		if err != nil || found.Ended != want || want == search.EndedByServer && found.Holds < 19 {
			t.Errorf("up to %v: %+v, %v", most, found, err)
		}
	}
}

// faults are what a busy machine does to trials, by chance.
type faults struct {
	rng                            *rand.Rand
	client, missed, rises, unclear float64 // how likely each is
	all                            bool    // the client is the limit at each trial
}

// on lets faults happen to the trials of an exact server.
func (f *faults) on(try try) try {
	return func(ctx context.Context, l search.Load) (search.Outcome, error) {
		out, err := try(ctx, l)
		switch p := f.rng.Float64(); {
		case f.all, p < f.client:
			out = search.Outcome{Verdict: search.VerdictClient}
		case p < f.client+f.missed:
			out = search.Outcome{Verdict: search.VerdictMissed}
		case p < f.client+f.missed+f.rises:
			out = search.Outcome{Verdict: search.VerdictOverloaded, Retry: l.Length < 4}
		case p < f.client+f.missed+f.rises+f.unclear:
			out.Retry = l.Length < 4
		}
		return out, err
	}
}

// TestFaults: servers of 1 to 2,000 requests a second, each searched 40 times, with trials that a busy machine spoils.
// Every answer is within 10 %, or says that the client is the limit, or that there is not enough data; none is wrong,
// and where nothing lasts most are answers.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		of      faults
		answers int // of 200 searches, at least
		wrong   int // at most
	}{
		"none":                    {faults{}, 200, 0},
		"some client-limited":     {faults{client: 0.15}, 150, 0},
		"half client-limited":     {faults{client: 0.5}, 0, 0},
		"all client-limited":      {faults{all: true}, 0, 0},
		"some missed by chance":   {faults{missed: 0.1}, 190, 4},
		"some rise by chance":     {faults{rises: 0.2}, 190, 1},
		"some unclear":            {faults{unclear: 0.5}, 200, 0},
		"some of everything":      {faults{client: 0.1, missed: 0.03, rises: 0.1, unclear: 0.3}, 160, 2},
		"more than can be relied": {faults{client: 0.4, rises: 0.2, unclear: 0.3}, 0, 2},
	} {
		answers, wrong := 0, 0
		for seed := range uint64(200) {
			top := []float64{1, 16, 100, 500, 2000}[seed%5]
			c.of.rng = rand.New(rand.NewPCG(seed, 7))
			var tried []search.Load
			s := search.Search{Start: top / float64(1+seed%16), Try: c.of.on(exact(top, 0, 0, &tried))}
			found, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case found.Ended == search.EndedByClient && found.Holds <= top && !c.of.none(), found.Ended == search.EndedByFew:
			case found.Ended == search.EndedByServer && found.Holds >= 0.9*top && found.Holds <= 1.1*top:
				answers++
			default:
				if wrong++; wrong > c.wrong {
					found.Trials = nil
					t.Errorf("%s, seed %d: the top is %v, found is %+v after %d trials", name, seed, top, found, len(tried))
				}
			}
		}
		if answers < c.answers {
			t.Errorf("%s: %d of 200 found what the server does, want %d", name, answers, c.answers)
		}
		t.Logf("%s: %d of 200 answers, %d wrong", name, answers, wrong)
	}
}

// none says that nothing makes the client the limit.
func (f *faults) none() bool { return f.client == 0 && !f.all }

// TestNothingIsTriedForNothing: a client that is the limit is tried four times at a load, and at two loads downwards.
func TestNothingIsTriedForNothing(t *testing.T) {
	var tried []search.Load
	found, err := search.Search{Start: 100, Try: exact(1000, 0.1, 0, &tried)}.Run(t.Context())
	var values []float64
	for _, l := range tried {
		values = append(values, l.Value)
	}
	if err != nil || found.ClientAt != 25 || !slices.Equal(values, []float64{100, 100, 100, 100, 25, 25, 25, 25}) {
		t.Errorf("%v, %+v, %v", values, found, err)
	}
}

// TestLonger: a trial that cannot tell is made again, twice as long, as long as it may be.
func TestLonger(t *testing.T) {
	most := map[float64]int{}
	found, err := search.Search{Users: true, Try: func(_ context.Context, l search.Load) (search.Outcome, error) {
		most[l.Value] = max(most[l.Value], l.Length)
		out := told(l.Value <= 3)
		out.Retry = l.Value == 3 && l.Length < 8 || l.Value == 4 && l.Length < 4
		return out, nil
	}}.Run(t.Context())
	if err != nil || found.Holds != 3 || most[2] != 1 || most[3] != 8 || most[4] != 4 {
		t.Errorf("%v, %v, %v", found, most, err)
	}
}

// TestEndsMove: an end that a trial of full length does not confirm moves, up or down, and the search goes on.
func TestEndsMove(t *testing.T) {
	for name, c := range map[string]struct {
		holds func(l search.Load) bool
		want  float64
	}{
		"probes are too good":       {func(l search.Load) bool { return l.Value <= 8 && !l.Confirms || l.Value <= 6 }, 6},
		"probes are too bad":        {func(l search.Load) bool { return l.Value <= 8 && l.Confirms || l.Value <= 6 }, 8},
		"one of two users is wrong": {func(l search.Load) bool { return l.Value <= 20 && (l.Confirms || l.Value != 12) }, 20},
	} {
		found, err := search.Search{Users: true, Try: func(_ context.Context, l search.Load) (search.Outcome, error) {
			return told(c.holds(l)), nil
		}}.Run(t.Context())
		if err != nil || found.Holds != c.want {
			t.Errorf("%s: %+v, %v, want %v", name, found, err, c.want)
		}
	}
}

// TestGoesOn: cut off after any number of trials, a search that goes on makes those that are missing, and comes to the
// same. A trial in the middle that is gone is made again.
func TestGoesOn(t *testing.T) {
	var tried []search.Load
	base := search.Search{Start: 3}
	whole := base
	whole.Try = exact(120, 0, 0, &tried)
	want, err := whole.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range tried {
		for gone := -1; gone < n; gone++ {
			var again []search.Load
			s := base
			s.Try, s.Earlier = exact(120, 0, 0, &again), slices.Clone(want.Trials[:n])
			missing := len(tried) - n
			if gone >= 0 {
				s.Earlier, missing = slices.Delete(s.Earlier, gone, gone+1), missing+1
			}
			found, err := s.Run(t.Context())
			if err != nil || len(again) != missing || fmt.Sprint(found) != fmt.Sprint(want) {
				t.Errorf("cut off after %d, without %d: %d made, %+v, %v", n, gone, len(again), found, err)
			}
		}
	}
}

func TestEndsWithAnError(t *testing.T) {
	broken := errors.New("the server is gone")
	n := 0
	found, err := search.Search{Try: func(context.Context, search.Load) (search.Outcome, error) {
		if n++; n == 4 {
			return search.Outcome{}, broken
		}
		return told(true), nil
	}}.Run(t.Context())
	if !errors.Is(err, broken) || found.Ended != "" || len(found.Trials) != 3 {
		t.Errorf("%+v, %v", found, err)
	}
}
