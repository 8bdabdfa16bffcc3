package closedloop

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
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
	times, err := Run(t.Context(), s, s, LoopPlan{Batch: 4, Concurrency: 3, Iterations: 50})
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
		loop   LoopPlan
		want   string
	}{
		"no batch":          {func(*system) {}, LoopPlan{0, 1, 1}, "want at least 1 of each"},
		"too many samples":  {func(*system) {}, LoopPlan{1 << 20, 1, 1 << 20}, "at most"},
		"the system fails":  {func(s *system) { s.fail = broken }, LoopPlan{1, 2, 5}, "broken"},
		"answered twice":    {func(s *system) { s.twice = true }, LoopPlan{1, 1, 5}, "answered twice"},
		"answer of another": {func(s *system) { s.stranger = true }, LoopPlan{1, 1, 5}, "not asked for"},
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
	if _, err := Run(ctx, s, s, LoopPlan{1, 2, 5}); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
	if !s.unloaded {
		t.Error("the samples stay in memory")
	}
}

// token is a system that tells of its tokens: the first at once, the others when it is released, or never.
type token struct {
	system
	rows   map[loadgen.SampleIndex]int
	hold   chan struct{}
	answer int64 // tokens
}

func (s *token) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	id := q.Samples[0].ID
	s.mu.Lock()
	s.rows[q.Samples[0].Index]++
	s.mu.Unlock()
	go func() {
		r.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: id}})
		if s.hold != nil {
			<-s.hold
		}
		r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: id, NTokens: s.answer}})
	}()
	return nil
}

// Users of a system that tells of its tokens: each request has a first token, an end and a number of tokens, and
// samples are asked for in turn.
func TestTokens(t *testing.T) {
	s := &token{system: *newSystem(), rows: map[loadgen.SampleIndex]int{}, answer: 7}
	users := arrival.Pattern{Kind: arrival.Users, Users: 4, Requests: 30, Seed: 3}
	p, err := MeasureTokens(t.Context(), s, s, users, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	warm := 0
	for _, r := range p.Requests {
		if r.WarmUp {
			warm++
		}
		m := metrics.MeasureRequest(&r, metrics.FigureRules{})
		if m.Found != metrics.OK || m.Out != 7 || r.Events.Len() != 2 || m.First < r.Sent || m.Last != r.End {
			t.Errorf("%+v", r)
		}
	}
	if len(p.Requests) != 38 || warm != 8 || min(s.rows[0], s.rows[1], s.rows[2]) < 12 {
		t.Errorf("%d requests, %d to warm up, of rows %v", len(p.Requests), warm, s.rows)
	}
	if p.Load.Label() != "no LoadGen scenario: closed loop" || !s.unloaded {
		t.Errorf("label %q, unloaded %t", p.Load.Label(), s.unloaded)
	}
}

// Answers that come when nobody waits any more are no fault.
func TestTokensAfterTheEnd(t *testing.T) {
	rows := map[loadgen.SampleIndex]int{}
	s := &token{system: *newSystem(), rows: rows, answer: 2, hold: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	go func() {
		for asked := false; !asked; runtime.Gosched() {
			s.mu.Lock()
			asked = len(s.rows) > 0
			s.mu.Unlock()
		}
		cancel(cause)
	}()
	p, err := MeasureTokens(ctx, s, s, arrival.Pattern{Kind: arrival.Users, Users: 1, Requests: 5}, 0, nil)
	close(s.hold)
	if !errors.Is(err, cause) || len(p.Requests) != 1 || p.Requests[0].Status != metrics.Cancelled {
		t.Errorf("error %v, %+v", err, p)
	}
	a := &sutAsker{batch: 1, next: 3, pending: map[int]*loopQuery{}, stop: func(err error) { t.Error(err) }}
	a.pending[1] = &loopQuery{clock: stopped{}, unanswered: 1}
	a.forgetQuery(1)
	a.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: 1}})
	var fault error
	a.stop = func(err error) { fault = err }
	a.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: 3}})
	if fault == nil || !strings.Contains(fault.Error(), "not asked for") {
		t.Errorf("error %v", fault)
	}
}

// stopped is a clock that does not go.
type stopped struct{}

func (stopped) Now() int64 { return 5 }
