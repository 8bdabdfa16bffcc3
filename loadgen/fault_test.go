package loadgen_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

var errBoom = errors.New("boom")

// faultySUT overrides single methods of a scripted SUT.
type faultySUT struct {
	loadgentest.Script
	issue  func(ctx context.Context, q loadgen.Query, r loadgen.Responder) error
	flush  func(ctx context.Context) error
	warmUp func(ctx context.Context) error
}

func (f *faultySUT) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if f.issue != nil {
		return f.issue(ctx, q, r)
	}
	return f.Script.IssueQuery(ctx, q, r)
}

func (f *faultySUT) FlushQueries(ctx context.Context) error {
	if f.flush != nil {
		return f.flush(ctx)
	}
	return f.Script.FlushQueries(ctx)
}

func (f *faultySUT) WarmUp(ctx context.Context) error {
	if f.warmUp != nil {
		return f.warmUp(ctx)
	}
	return nil
}

type faultyQSL struct {
	loadgentest.QSL
	load, unload func(ctx context.Context) error
}

func (f faultyQSL) LoadSamplesToRAM(ctx context.Context, _ []loadgen.SampleIndex) error {
	if f.load != nil {
		return f.load(ctx)
	}
	return nil
}

func (f faultyQSL) UnloadSamplesFromRAM(ctx context.Context, _ []loadgen.SampleIndex) error {
	if f.unload != nil {
		return f.unload(ctx)
	}
	return nil
}

func boom(context.Context) error { return errBoom }

// answersFor answers the sample of id with the ids others.
func answersFor(id loadgen.ResponseID, others ...loadgen.ResponseID) func(loadgen.QuerySample) []loadgen.ResponseID {
	return func(s loadgen.QuerySample) []loadgen.ResponseID {
		if s.ID == id {
			return others
		}
		return []loadgen.ResponseID{s.ID}
	}
}

// aborted runs a test that must end early, and checks its result and its logs.
func aborted(
	t *testing.T, ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, s loadgen.TestSettings,
	want error, says ...string,
) *loadgen.Result {
	t.Helper()
	dir := t.TempDir()
	r, err := loadgen.StartTest(ctx, sut, qsl, s, loadgen.LogSettings{OutDir: dir})
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
	if r == nil || !errors.Is(r.Aborted, want) {
		t.Fatalf("result %+v, want one that says why it was aborted", r)
	}
	if s.Mode != loadgen.AccuracyOnly && (r.Verdict != loadgen.Invalid || len(r.Reasons) == 0 ||
		r.Reasons[0].Rule != "aborted") {
		t.Errorf("verdict %q, reasons %v", r.Verdict, r.Reasons)
	}
	detail, err := os.ReadFile(filepath.Join(dir, "mlperf_log_detail.txt"))
	if err != nil || !strings.Contains(string(detail), "Test aborted: ") {
		t.Errorf("the detail log is not marked as aborted (%v)", err)
	}
	return r
}

func TestFaultsEndTheTest(t *testing.T) {
	library := loadgentest.QSL{Total: 100, Performance: 50}
	for _, c := range []struct {
		name string
		sut  *faultySUT
		qsl  faultyQSL
		want error
		says []string
	}{
		{"answered twice", &faultySUT{Script: loadgentest.Script{Answers: answersFor(7, 7, 7)}}, faultyQSL{},
			loadgen.ErrProtocol, []string{"response id 7 ", "twice"}},
		{"answered again later", &faultySUT{Script: loadgentest.Script{Answers: answersFor(9, 9, 3)}}, faultyQSL{},
			loadgen.ErrProtocol, []string{"response id 3 "}},
		{"answers an id that was not issued", &faultySUT{Script: loadgentest.Script{Answers: answersFor(5, 4000000)}},
			faultyQSL{}, loadgen.ErrProtocol, []string{"response id 4000000", "not issued"}},
		{"issue fails", &faultySUT{Script: loadgentest.Script{Fail: func(n int) error {
			return map[bool]error{true: errBoom}[n == 0]
		}}}, faultyQSL{}, errBoom, []string{"scripted SUT", "query 0"}},
		{"flush fails", &faultySUT{flush: boom}, faultyQSL{}, errBoom, []string{"flushing"}},
		{"warm-up fails", &faultySUT{warmUp: boom}, faultyQSL{}, errBoom, []string{"warming up"}},
		{"loading fails", &faultySUT{}, faultyQSL{load: boom}, errBoom, []string{"loading 5"}},
		{"unloading fails", &faultySUT{}, faultyQSL{unload: boom}, errBoom, []string{"unloading 5"}},
	} {
		for _, scenario := range loadgen.Scenarios() {
			t.Run(fmt.Sprintf("%s/%v", c.name, scenario), func(t *testing.T) {
				sut := &faultySUT{issue: c.sut.issue, flush: c.sut.flush, warmUp: c.sut.warmUp}
				sut.Answers, sut.Fail = c.sut.Answers, c.sut.Fail
				c.qsl.QSL = library
				aborted(t, t.Context(), sut, c.qsl, quick(scenario, loadgen.PerformanceOnly), c.want, c.says...)
			})
		}
	}
}

func TestFaultInAccuracyEndsSubmissionRun(t *testing.T) {
	sut := &loadgentest.Script{Answers: answersFor(7, 7, 7)}
	r := aborted(t, t.Context(), sut, loadgentest.QSL{Total: 20}, quick(loadgen.Server, loadgen.SubmissionRun),
		loadgen.ErrProtocol)
	if r.QueryCount != 0 {
		t.Errorf("%d queries of a performance series that never began", r.QueryCount)
	}
}

// A dropped answer never hangs the test. The context ends the test after a grace period for the answer.
func TestDroppedAnswerEndsWithContext(t *testing.T) {
	for _, scenario := range []loadgen.Scenario{loadgen.SingleStream, loadgen.MultiStream, loadgen.Offline} {
		t.Run(scenario.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sut := &loadgentest.Script{Answers: answersFor(3)}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				r := aborted(t, ctx, sut, loadgentest.QSL{Total: 10}, quick(scenario, loadgen.PerformanceOnly),
					loadgen.ErrInterrupted, "1 of ", "not answered")
				if r.SampleCount == 0 {
					t.Error("what was measured is lost")
				}
			})
		})
	}
}

// Answers within the grace period count.
func TestAnswersWithinTheGraceCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sut := &loadgentest.Script{Latency: func(loadgen.QuerySample) time.Duration { return time.Second }}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
		defer cancel()
		r := aborted(t, ctx, sut, loadgentest.QSL{Total: 10}, quick(loadgen.SingleStream, loadgen.PerformanceOnly),
			loadgen.ErrInterrupted)
		if r.QueryCount != 11 || r.Latency.N != 11 || r.Latency.Max != time.Second {
			t.Errorf("%d queries, latencies %+v, want 11 of 1s", r.QueryCount, r.Latency)
		}
	})
}

// If the context ends because of a failure, LoadGen does not wait for answers.
func TestFailureCauseEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		time.AfterFunc(time.Second, func() { cancel(errBoom) })
		sut := &loadgentest.Script{Answers: answersFor(3)}
		aborted(t, ctx, sut, loadgentest.QSL{Total: 10}, quick(loadgen.Offline, loadgen.PerformanceOnly), errBoom)
		if took := time.Since(began); took != time.Second {
			t.Errorf("ended %v after the start, want at the failure after 1s", took)
		}
	})
}

// If a SUT or QSL returns only the context's error, the test still reports why the context ended.
func TestContextErrorsTellTheCause(t *testing.T) {
	wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, sut := range map[string]*faultySUT{
		"issuing":  {issue: func(ctx context.Context, _ loadgen.Query, _ loadgen.Responder) error { return wait(ctx) }},
		"flushing": {flush: wait},
		"warming":  {warmUp: wait},
		"loading":  {},
	} {
		for _, cause := range []error{errBoom, context.Canceled} {
			t.Run(fmt.Sprint(name, "/", cause), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					qsl := faultyQSL{QSL: loadgentest.QSL{Total: 10}}
					if name == "loading" {
						qsl.load = wait
					}
					ctx, cancel := context.WithCancelCause(t.Context())
					time.AfterFunc(time.Second, func() { cancel(cause) })
					r := aborted(t, ctx, sut, qsl, quick(loadgen.Offline, loadgen.PerformanceOnly), cause)
					if user := errors.Is(cause, context.Canceled); errors.Is(r.Aborted, loadgen.ErrInterrupted) != user {
						t.Errorf("error %v: interrupted %v, want %v", r.Aborted, !user, user)
					}
				})
			})
		}
	}
}

// LoadGen abandons a call into the SUT or the QSL that does not return within seconds after the end of the context.
func TestCallsThatNeverReturnAreAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		defer func() {
			close(free)
			time.Sleep(time.Minute) // the abandoned call ends in the meantime
		}()
		for name, block := range map[string]func(*faultySUT, *faultyQSL){
			"issuing": func(s *faultySUT, _ *faultyQSL) {
				s.issue = func(context.Context, loadgen.Query, loadgen.Responder) error { <-free; return nil }
			},
			"flushing":  func(s *faultySUT, _ *faultyQSL) { s.flush = func(context.Context) error { <-free; return nil } },
			"warming":   func(s *faultySUT, _ *faultyQSL) { s.warmUp = func(context.Context) error { <-free; return nil } },
			"loading":   func(_ *faultySUT, q *faultyQSL) { q.load = func(context.Context) error { <-free; return nil } },
			"unloading": func(_ *faultySUT, q *faultyQSL) { q.unload = func(context.Context) error { <-free; return nil } },
		} {
			sut, qsl := &faultySUT{}, &faultyQSL{QSL: loadgentest.QSL{Total: 10}}
			block(sut, qsl)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			t.Log(name)
			aborted(t, ctx, sut, qsl, quick(loadgen.SingleStream, loadgen.PerformanceOnly), loadgen.ErrInterrupted, "abandoned")
			cancel()
		}
	})
}

func TestEndedContextRunsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sut := &loadgentest.Script{}
	for _, scenario := range loadgen.Scenarios() {
		aborted(t, ctx, sut, loadgentest.QSL{Total: 10}, quick(scenario, loadgen.SubmissionRun), context.Canceled)
	}
	if n := len(sut.Queries()); n != 0 {
		t.Errorf("%d queries were issued", n)
	}
}

// Ending a Server test stops its sleep for the next due time.
func TestServerStopsWaitingForTheNextQuery(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS = 1e-3
	ctx, cancel := context.WithCancel(t.Context())
	issued := sync.OnceFunc(cancel)
	sut := &faultySUT{}
	sut.issue = func(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
		issued()
		return sut.Script.IssueQuery(ctx, q, r)
	}
	if r := aborted(t, ctx, sut, loadgentest.QSL{Total: 10}, s, loadgen.ErrInterrupted); r.QueryCount != 1 {
		t.Errorf("%d queries, want 1", r.QueryCount)
	}
}

// A SUT may keep the Responder: late answers have no effect.
func TestResponderOutlivesTheTest(t *testing.T) {
	var kept loadgen.Responder
	sut := &faultySUT{}
	sut.issue = func(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
		kept = r
		return sut.Script.IssueQuery(ctx, q, r)
	}
	_, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 10},
		quick(loadgen.SingleStream, loadgen.PerformanceOnly), loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	kept.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: 1}, {ID: 1 << 30}})
	kept.FirstTokenComplete(nil)
}

func TestUnwritableOutputDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sut := &loadgentest.Script{}
	_, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 10},
		quick(loadgen.Offline, loadgen.PerformanceOnly), loadgen.LogSettings{OutDir: filepath.Join(file, "out")})
	if !errors.Is(err, loadgen.ErrLogs) || len(sut.Queries()) != 0 {
		t.Errorf("error %v after %d queries, want ErrLogs before any", err, len(sut.Queries()))
	}
}
