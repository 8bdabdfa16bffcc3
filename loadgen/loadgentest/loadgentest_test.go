package loadgentest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

func TestSuitePassesGoodSUTs(t *testing.T) {
	qsl := loadgentest.QSL{Total: 30, Performance: 12}
	t.Run("null", func(t *testing.T) {
		loadgentest.RunSuite(t, &loadgentest.NullSUT{}, qsl, loadgentest.SuiteOptions{ServerQPS: 1e4})
	})
	t.Run("tokens", func(t *testing.T) {
		loadgentest.RunSuite(t, &loadgentest.NullSUT{Tokens: 2}, qsl, loadgentest.SuiteOptions{ServerQPS: 1e4, Tokens: true})
	})
	t.Run("slow", func(t *testing.T) {
		sut := &loadgentest.Script{Latency: func(loadgen.QuerySample) time.Duration { return time.Millisecond }}
		loadgentest.RunSuite(t, sut, qsl, loadgentest.SuiteOptions{ServerQPS: 1e4})
	})
}

// keeper answers in FlushQueries and uses the query's own memory.
type keeper struct {
	loadgentest.Script
	kept []loadgen.QuerySample
	out  loadgen.Responder
}

func (k *keeper) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	k.kept, k.out = q.Samples, r
	return nil
}

func (k *keeper) FlushQueries(context.Context) error {
	for _, s := range k.kept {
		k.out.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: s.ID}})
	}
	return nil
}

// speaker reports the first token of sample 3 before its answer for some ids, and after it for others.
type speaker struct {
	loadgentest.NullSUT
	before, after []loadgen.ResponseID
}

func (s *speaker) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	for _, sample := range q.Samples {
		if sample.ID == 3 {
			report(r, s.before)
		}
		if err := s.NullSUT.IssueQuery(ctx, loadgen.Query{Samples: []loadgen.QuerySample{sample}}, r); err != nil {
			return err
		}
		if sample.ID == 3 {
			report(r, s.after)
		}
	}
	return nil
}

func report(r loadgen.Responder, ids []loadgen.ResponseID) {
	for _, id := range ids {
		r.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: id}})
	}
}

// leaving calls leave when it is flushed, because one of the SUTs never answers.
type leaving struct {
	loadgen.SUT
	leave func()
}

func (l *leaving) FlushQueries(ctx context.Context) error {
	defer l.leave()
	return l.SUT.FlushQueries(ctx)
}

func TestCheckerFindsBreaches(t *testing.T) {
	other := func(ids ...loadgen.ResponseID) func(loadgen.QuerySample) []loadgen.ResponseID {
		return func(s loadgen.QuerySample) []loadgen.ResponseID {
			if s.ID == 3 {
				return append([]loadgen.ResponseID{3}, ids...)
			}
			return []loadgen.ResponseID{s.ID}
		}
	}
	for name, c := range map[string]struct {
		sut  loadgen.SUT
		says string
	}{
		"twice":   {&loadgentest.Script{Answers: other(3)}, "response id 3 was answered twice"},
		"another": {&loadgentest.Script{Answers: other(999)}, "response id 999 was answered"},
		"first token twice": {&speaker{before: []loadgen.ResponseID{3, 3}},
			"the first token of response id 3 was reported twice"},
		"first token late": {&speaker{after: []loadgen.ResponseID{3}},
			"the first token of response id 3 was reported after its answer"},
		"first token of another": {&speaker{before: []loadgen.ResponseID{999}},
			"the first token of response id 999 was reported, but"},
		"kept memory": {&keeper{}, "after IssueQuery had returned"},
	} {
		s := loadgen.DefaultTestSettings()
		s.Scenario, s.MinDuration, s.MinQueryCount = loadgen.Offline, 0, 10
		ctx, cancel := context.WithCancelCause(t.Context())
		checked := loadgentest.CheckSUT(&leaving{c.sut, func() { cancel(errors.New("all is said")) }})
		_, _ = loadgen.StartTest(ctx, checked, loadgentest.QSL{Total: 5}, s, loadgen.LogSettings{})
		if err := checked.Err(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// changing reports a different number of samples each time.
type changing struct {
	loadgentest.QSL
	n *int
}

func (c changing) TotalSampleCount() int { *c.n++; return *c.n }

func TestCheckerFindsUnsoundCounts(t *testing.T) {
	n := 0
	c := loadgentest.CheckQSL(changing{n: &n})
	c.TotalSampleCount()
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "TotalSampleCount() = 2, was 1 before") ||
		!strings.Contains(err.Error(), "PerformanceSampleCount() = 0") {
		t.Errorf("faults %v", err)
	}
	if err := c.UnloadSamplesFromRAM(t.Context(), []loadgen.SampleIndex{1}); err != nil ||
		!strings.Contains(c.Err().Error(), "not the 0 loaded") {
		t.Errorf("unload: %v, faults %v", err, c.Err())
	}
}

func TestClockRunsEventsInOrder(t *testing.T) {
	c := &loadgentest.Clock{}
	var ran []string
	note := func(name string) func() {
		return func() { ran = append(ran, name+"@"+c.Now().String()) }
	}
	c.After(2*time.Second, note("c"))
	c.After(time.Second, func() { note("a")(); c.After(500*time.Millisecond, note("b")) })
	c.After(2*time.Second, note("d"))
	c.SleepUntil(1600 * time.Millisecond)
	c.SleepUntil(time.Second) // in the past
	if got := strings.Join(ran, " "); got != "a@1s b@1.5s" || c.Now() != 1600*time.Millisecond {
		t.Errorf("ran %s until %v", got, c.Now())
	}
	for c.Step() {
	}
	c.Advance(time.Second)
	if got := strings.Join(ran, " "); got != "a@1s b@1.5s c@2s d@2s" || c.Now() != 3*time.Second {
		t.Errorf("ran %s until %v", got, c.Now())
	}
}
