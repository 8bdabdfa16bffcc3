package loadgen_test

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// virtual runs a test on virtual time in which every sample takes latency.
func virtual(t *testing.T, s loadgen.TestSettings, latency time.Duration) (*loadgen.Result, *loadgentest.Script) {
	t.Helper()
	clock := &loadgentest.Clock{}
	sut := &loadgentest.Script{Clock: clock, Latency: func(loadgen.QuerySample) time.Duration { return latency }}
	ctx := loadgentest.WithClock(t.Context(), clock)
	r, err := loadgen.StartTest(ctx, sut, loadgentest.QSL{Total: 100, Performance: 30}, s, loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if sut.Flushes() != 1 {
		t.Errorf("%d flushes, want 1", sut.Flushes())
	}
	return r, sut
}

func wantError(t *testing.T, r *loadgen.Result, text string) {
	t.Helper()
	if len(r.Errors) != 1 || r.Errors[0].Key != "error_runtime" || !strings.Contains(r.Errors[0].Message, text) {
		t.Errorf("errors %v, want one that says %q", r.Errors, text)
	}
}

func TestChainedQueriesFollowCompletions(t *testing.T) {
	s := quick(loadgen.SingleStream, loadgen.PerformanceOnly)
	s.MinDuration, s.MinQueryCount = time.Second, 10
	r, sut := virtual(t, s, 3*time.Millisecond)
	// The last query is the first one issued at or after the minimum duration.
	if r.QueryCount != 335 || len(r.Errors) != 0 || r.Verdict != loadgen.Valid {
		t.Errorf("%d queries, verdict %s, errors %v; want 335 without errors", r.QueryCount, r.Verdict, r.Errors)
	}
	for i, q := range sut.Queries() {
		if want := time.Duration(i) * 3 * time.Millisecond; q.At != want {
			t.Fatalf("query %d issued at %v, want %v", i, q.At, want)
		}
	}
	if r.Latency.Min != 3*time.Millisecond || r.Latency.Max != r.Latency.Min || r.Duration != 1005*time.Millisecond {
		t.Errorf("latencies %+v over %v", r.Latency, r.Duration)
	}
}

func TestServerKeepsItsScheduleUnderLoad(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS, s.ServerTargetLatency = 1000, 50*time.Millisecond
	r, _ := virtual(t, s, 40*time.Millisecond)
	if r.IssueDelay.Max != 0 || r.Latency.Min != 40*time.Millisecond || r.Latency.Max != 40*time.Millisecond ||
		r.Verdict != loadgen.Valid {
		t.Errorf("delays %+v, latencies %+v, verdict %s %v", r.IssueDelay, r.Latency, r.Verdict, r.Reasons)
	}
}

// A SUT that blocks IssueQuery delays the following queries. Their latencies count from their due times.
func TestServerLatencyCountsFromTheDueTime(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS, s.MinQueryCount = 1e6, 100
	clock := &loadgentest.Clock{}
	sut := &loadgentest.Script{Clock: clock, Fail: func(int) error { clock.Advance(time.Millisecond); return nil }}
	r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 9}, s,
		loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Latency.Max < 99*time.Millisecond || r.IssueDelay.Max < 98*time.Millisecond {
		t.Errorf("latency up to %v, issue delay up to %v, want about 100ms", r.Latency.Max, r.IssueDelay.Max)
	}
}

func TestMaxAsyncQueries(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS, s.ServerMaxAsyncQueries = 1000, 20
	r, _ := virtual(t, s, time.Second)
	wantError(t, r, "Too many outstanding queries. issued 21 outstanding 21")
	if r.QueryCount != 21 || r.Verdict != loadgen.Invalid {
		t.Errorf("%d queries, verdict %s", r.QueryCount, r.Verdict)
	}
}

func TestMaxDuration(t *testing.T) {
	for _, scenario := range []loadgen.Scenario{loadgen.SingleStream, loadgen.MultiStream, loadgen.Server} {
		s := quick(scenario, loadgen.PerformanceOnly)
		s.MaxDuration, s.MinQueryCount, s.ServerTargetQPS = 100*time.Millisecond, 100000, 1000
		r, _ := virtual(t, s, time.Millisecond)
		wantError(t, r, "Max test duration reached. duration_ns 10")
		if r.MinQueriesMet || r.Duration < s.MaxDuration || r.Duration > 2*s.MaxDuration {
			t.Errorf("%v: %d queries in %v", scenario, r.QueryCount, r.Duration)
		}
	}
}

func TestMaxQueryCount(t *testing.T) {
	s := quick(loadgen.MultiStream, loadgen.PerformanceOnly)
	s.MaxQueryCount = 12
	r, _ := virtual(t, s, time.Millisecond)
	wantError(t, r, "Max query count reached. query_count 12")
	if r.QueryCount != 12 || r.SampleCount != 96 {
		t.Errorf("%d queries of %d samples", r.QueryCount, r.SampleCount)
	}
}

// The accuracy mode issues all samples, whatever the limits.
func TestAccuracyIgnoresLimits(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		s := quick(scenario, loadgen.AccuracyOnly)
		s.MaxQueryCount, s.MaxDuration, s.ServerMaxAsyncQueries, s.ServerTargetQPS = 1, 1, 1, 1000
		clock := &loadgentest.Clock{}
		sut := &loadgentest.Script{Clock: clock, Latency: func(loadgen.QuerySample) time.Duration { return time.Second }}
		r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut,
			loadgentest.QSL{Total: 64, Performance: 32}, s, loadgen.LogSettings{OutDir: t.TempDir()})
		if err != nil || len(r.Errors) != 0 || r.AccuracySampleCount != 64 || sut.Flushes() != 2 {
			t.Errorf("%v: %v, %+v, %d flushes", scenario, err, r, sut.Flushes())
		}
	}
}

func TestRanOutOfQueries(t *testing.T) {
	s := quick(loadgen.SingleStream, loadgen.PerformanceOnly)
	s.MinDuration, s.SingleStreamExpectedLatency = time.Second, 10*time.Millisecond
	r, _ := virtual(t, s, time.Millisecond)
	wantError(t, r, "Ran out of generated queries")
	if r.MinDurationMet || r.Verdict != loadgen.Invalid {
		t.Errorf("verdict %s after %v", r.Verdict, r.Duration)
	}
}

// With coalescing, queries that become due while IssueQuery runs are issued together, each with its own due time.
func TestCoalescedQueries(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS, s.ServerCoalesceQueries = 1e5, true
	clock := &loadgentest.Clock{}
	sut := &loadgentest.Script{Clock: clock, Fail: func(int) error { clock.Advance(time.Millisecond); return nil }}
	r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 9}, s,
		loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if calls := len(sut.Queries()); calls > 12 || r.QueryCount != 700 || r.SampleCount != 700 {
		t.Errorf("%d calls for %d queries of %d samples, want about 8 for 700", calls, r.QueryCount, r.SampleCount)
	}
	if r.Latency.Max > 2*time.Millisecond || r.Latency.Min < time.Millisecond || r.IssueDelay.Max > time.Millisecond {
		t.Errorf("latencies %+v, issue delays %+v", r.Latency, r.IssueDelay)
	}
}
