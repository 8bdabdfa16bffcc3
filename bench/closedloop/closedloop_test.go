package closedloop

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// system answers each query at once, from another goroutine, and counts.
type system struct {
	mu              sync.Mutex
	queries         int
	indices         map[loadgen.SampleIndex]int
	loaded          []loadgen.SampleIndex
	unloaded        bool
	outstanding     atomic.Int32
	most            int32
	fail            error // of IssueQuery
	twice, stranger bool
	silent          bool
}

func (s *system) Name() string { return "system" }

func (s *system) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	if s.fail != nil {
		return s.fail
	}
	now := s.outstanding.Add(1)
	s.mu.Lock()
	s.queries++
	s.most = max(s.most, now)
	var answers []loadgen.QuerySampleResponse
	for _, sample := range q.Samples {
		s.indices[sample.Index]++
		answers = append(answers, loadgen.QuerySampleResponse{ID: sample.ID})
	}
	s.mu.Unlock()
	switch {
	case s.silent:
		return nil
	case s.twice:
		answers = append(answers, answers...)
	case s.stranger:
		answers[0].ID += 1 << 20
	}
	go func() {
		s.outstanding.Add(-1)
		r.QuerySamplesComplete(answers)
	}()
	return nil
}

func (s *system) FlushQueries(context.Context) error { return nil }
func (s *system) TotalSampleCount() int              { return 3 }
func (s *system) PerformanceSampleCount() int        { return 3 }

func (s *system) LoadSamplesToRAM(_ context.Context, indices []loadgen.SampleIndex) error {
	s.loaded = indices
	return nil
}

func (s *system) UnloadSamplesFromRAM(context.Context, []loadgen.SampleIndex) error {
	s.unloaded = true
	return nil
}

func newSystem() *system { return &system{indices: map[loadgen.SampleIndex]int{}} }

func TestRun(t *testing.T) {
	s := newSystem()
	times, err := Run(t.Context(), s, s, Loop{Batch: 4, Concurrency: 3, Iterations: 50})
	if err != nil {
		t.Fatal(err)
	}
	if len(times.Each) != 50 || s.queries != 53 {
		t.Errorf("%d times of %d queries, want 50 and three to warm up", len(times.Each), s.queries)
	}
	if len(s.loaded) != 3 || !s.unloaded || s.indices[0] != 2*53 || s.indices[2] != 53 {
		t.Errorf("loaded %v, unloaded %t, asked for %v; want the three samples in turn", s.loaded, s.unloaded, s.indices)
	}
	if s.most > 3 {
		t.Errorf("%d queries at a time, want at most 3", s.most)
	}
	if times.WarmUp <= 0 || times.Total <= 0 {
		t.Errorf("times %v and %v", times.WarmUp, times.Total)
	}
	for _, d := range times.Each {
		if d < 0 || d > times.Total {
			t.Errorf("a query of %v in %v", d, times.Total)
		}
	}
}

func TestFaults(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		change func(*system)
		loop   Loop
		want   string
	}{
		"no batch":          {func(*system) {}, Loop{0, 1, 1}, "want at least 1 of each"},
		"too many samples":  {func(*system) {}, Loop{1 << 20, 1, 1 << 20}, "at most"},
		"the system fails":  {func(s *system) { s.fail = broken }, Loop{1, 2, 5}, "broken"},
		"answered twice":    {func(s *system) { s.twice = true }, Loop{1, 1, 5}, "answered twice"},
		"answer of another": {func(s *system) { s.stranger = true }, Loop{1, 1, 5}, "not asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSystem()
			c.change(s)
			if _, err := Run(t.Context(), s, s, c.loop); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestTheEndOfTheContextEndsTheLoop(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := newSystem()
	s.silent = true
	cause := errors.New("enough")
	go cancel(cause)
	if _, err := Run(ctx, s, s, Loop{1, 2, 5}); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
	if !s.unloaded {
		t.Error("the samples stay in memory")
	}
}

// An answer to a query that was never asked is a fault, and no more.
func TestAnAnswerBeforeItsQuery(t *testing.T) {
	var cause error
	a := &asker{loop: Loop{Batch: 1}, queries: make([]query, 3), stop: func(err error) { cause = err }}
	a.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: 2}})
	if cause == nil || !strings.Contains(cause.Error(), "before it was asked for") {
		t.Errorf("error %v", cause)
	}
}
