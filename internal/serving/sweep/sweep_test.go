package sweep_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/objective"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// server works on slots of requests at a time, 200 to 600 ms each: 2.5 a second for each slot. The first of its two
// tokens comes 20 ms after the work began. All is on virtual time.
type server struct {
	slots chan struct{}
	mu    sync.Mutex
	rng   *rand.Rand
	// broken says that every request is refused.
	broken bool
	// late, if not nil, is how late the client sends the next request.
	late func() time.Duration
	// stands, if not nil, is how long the server stands still before it works on the next request.
	stands func() time.Duration
	// takes, if not nil, are the times from the beginning of the work to each token.
	takes []time.Duration
}

func (s *server) Prepare(*prompts.Ask) (engine.Prepared, error) { return nil, nil }

func (s *server) Ask(ctx context.Context, _ engine.Prepared, clock engine.Clock, r *metrics.Request) {
	if s.late != nil {
		time.Sleep(s.by(s.late))
	}
	r.Sent, r.Status = clock.Now(), metrics.Cancelled
	defer func() { r.End = clock.Now() }()
	if s.broken {
		r.Status, r.Fault = metrics.Refused, "nothing listens"
		return
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-s.slots }()
	if s.stands != nil {
		time.Sleep(s.by(s.stands))
	}
	rest := s.by(func() time.Duration { return time.Duration((0.18 + 0.4*s.rng.Float64()) * float64(time.Second)) })
	takes := s.takes
	if takes == nil {
		takes = []time.Duration{20 * time.Millisecond, rest}
	}
	for _, wait := range takes {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		r.Events.Add(metrics.StreamEvent{At: clock.Now(), Kind: metrics.Content, Text: true, IDs: 1})
	}
	r.Status = metrics.OK
}

// by draws a time.
func (s *server) by(draw func() time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return draw()
}

// newSweep is one of a server of so many slots.
func newSweep(t *testing.T, slots int, seed uint64, slo string) *sweep.Sweep {
	t.Helper()
	set, err := prompts.ReadSet(prompts.PromptOptions{ISL: "8", OSL: "2", Vocabulary: "10..99"})
	if err != nil {
		t.Fatal(err)
	}
	s := &sweep.Sweep{
		PointSettings: sweep.PointSettings{
			Asker:   &server{slots: make(chan struct{}, slots), rng: rand.New(rand.NewPCG(seed, 1))},
			Prompts: set, Seed: seed, WarmUp: -1, Grace: time.Minute, Latency: 400 * time.Millisecond,
			Record: record.Run{Model: "m", Serving: &record.Serving{}},
		},
		File: &sweepfile.Sweep{Flags: []string{"--seed=1"}},
	}
	if slo != "" {
		if s.Objectives, err = objective.Parse(slo); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// users are closed loops of 300 requests.
func users(counts ...int) []arrival.Pattern {
	var all []arrival.Pattern
	for _, n := range counts {
		all = append(all, arrival.Pattern{Kind: arrival.Users, Users: n, Requests: 300, Seed: 1})
	}
	return all
}

// loads are those that were measured, in their order.
func loads(s *sweep.Sweep) (all []float64) {
	for _, r := range s.File.Points {
		all = append(all, r.Serving.Load.Value)
	}
	return all
}

// after calls a function after each point.
func after(do func()) func(arrival.Pattern, *engine.PointProgress) func(*sweep.SweepPoint) {
	return func(arrival.Pattern, *engine.PointProgress) func(*sweep.SweepPoint) {
		return func(*sweep.SweepPoint) { do() }
	}
}

// virtual runs on virtual time.
func virtual(t *testing.T, run func(t *testing.T, ctx context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { run(t, loadgentest.WithSleep(t.Context())) })
}

// TestUsers: a list of users is measured, kept, and read again. One that was cut off goes on where it ended.
func TestUsers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	flags := []string{"--seed=1"}
	virtual(t, func(t *testing.T, ctx context.Context) {
		s := newSweep(t, 16, 1, "p99 ttft < 100ms")
		var err error
		if s.Folder, _, err = sweep.OpenFolder(dir, false, flags); err != nil {
			t.Fatal(err)
		}
		s.Loads = users(1, 4, 16, 48)
		cut, cancel := context.WithCancelCause(ctx)
		enough := errors.New("enough")
		measured := 0
		s.OnPointBegin = after(func() {
			if measured++; measured == 2 {
				cancel(enough)
			}
		})
		if err := s.Run(cut); !errors.Is(err, enough) || s.File.Complete || !slices.Equal(loads(s), []float64{1, 4}) {
			t.Fatalf("%v, complete %v, %v", err, s.File.Complete, loads(s))
		}
		s.Folder.Close()
	})
	virtual(t, func(t *testing.T, ctx context.Context) {
		s := newSweep(t, 16, 1, "p99 ttft < 100ms")
		var err error
		if s.Folder, s.File, err = sweep.OpenFolder(dir, false, flags); err != nil || s.File == nil {
			t.Fatalf("%v, %v", s.File, err)
		}
		defer s.Folder.Close()
		s.Loads = users(1, 4, 16, 48)
		measured := 0
		s.OnPointBegin = after(func() { measured++ })
		if err := s.Run(ctx); err != nil || measured != 2 || !slices.Equal(loads(s), []float64{1, 4, 16, 48}) {
			t.Fatalf("%v, measured %d more, %v", err, measured, loads(s))
		}
	})
	f, err := sweepfile.Read(filepath.Join(dir, sweepfile.Name))
	if err != nil || !f.Complete || f.Ended != "" || f.Best == nil || *f.Best != 2 || !slices.Equal(f.Holds, []int{0, 1,
		2}) {
		t.Fatalf("%+v, %v", f, err)
	}
	text, err := os.Open(filepath.Join(dir, sweepfile.CSVName))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	if rows, err := sweepfile.ReadCSV(text); err != nil || len(rows) != 4 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for _, r := range f.Points {
		text, err := os.Open(filepath.Join(dir, r.Dir, requests.JSONLName))
		if err != nil {
			t.Fatal(err)
		}
		all, err := requests.Read(text)
		text.Close()
		if err != nil || len(all) != r.Serving.Asked.Sent {
			t.Errorf("%s: %d requests, %v; want %d", r.Dir, len(all), err, r.Serving.Asked.Sent)
		}
	}
}

// TestRates: a sweep of rates ends after two that the server does not keep up with.
func TestRates(t *testing.T) {
	virtual(t, func(t *testing.T, ctx context.Context) {
		s := newSweep(t, 4, 1, "")
		for _, rate := range []float64{2, 5, 15, 20, 25, 30} {
			s.Loads = append(s.Loads, arrival.Pattern{Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: rate,
				Duration: 30 * time.Second, Seed: 1})
		}
		if err := s.Run(ctx); err != nil || !s.File.Complete || s.File.Ended != sweepfile.Overloaded ||
			!slices.Equal(loads(s), []float64{2, 5, 15, 20}) {
			t.Errorf("%v, ended by %q, %v", err, s.File.Ended, loads(s))
		}
	})
}

// TestAuto: loads are chosen, and the top is between neighbours.
func TestAuto(t *testing.T) {
	virtual(t, func(t *testing.T, ctx context.Context) {
		s := newSweep(t, 4, 1, "p99 ttft < 500ms")
		s.Auto, s.Base = true, arrival.Pattern{Duration: 30 * time.Second, Seed: 1}
		if err := s.Run(ctx); err != nil || !s.File.Complete || s.File.Best == nil {
			t.Fatalf("%v, best %v", err, s.File.Best)
		}
		first, second := s.File.Points[0].Serving.Load, s.File.Points[1].Serving.Load
		if first.By != arrival.Users || first.Value != 1 || second.By != arrival.Maximum {
			t.Errorf("it begins with %v, %v", first, second)
		}
		if best := loads(s)[*s.File.Best]; best < 4 || best > 10 {
			t.Errorf("the best rate is %v of %v, and the server can do less than 10", best, loads(s))
		}
	})
}

// TestBroken: a sweep whose first point fails is an error, and what was measured of it is there.
func TestBroken(t *testing.T) {
	virtual(t, func(t *testing.T, ctx context.Context) {
		s := newSweep(t, 4, 1, "")
		s.Asker.(*server).broken = true
		s.Loads = users(1, 2)
		err := s.Run(ctx)
		if !errors.Is(err, sweep.ErrServer) || len(s.File.Points) != 1 || s.File.Complete {
			t.Errorf("%v, %d points", err, len(s.File.Points))
		}
	})
}
