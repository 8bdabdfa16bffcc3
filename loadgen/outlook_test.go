package loadgen_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// lateFrom is a SUT that answers at once, and late from one query on.
type lateFrom struct {
	loadgentest.Script
	progress loadgen.Progress
	seen     map[int]string // outlook in Progress by number of issued queries
}

func newLateFrom(query loadgen.ResponseID) *lateFrom {
	l := &lateFrom{seen: map[int]string{}}
	l.Clock = &loadgentest.Clock{}
	l.Latency = func(s loadgen.QuerySample) time.Duration {
		if s.ID >= query {
			return time.Second
		}
		return 0
	}
	return l
}

func (l *lateFrom) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	l.seen[len(l.Queries())] = l.progress.Snapshot().Hopeless
	return l.Script.IssueQuery(ctx, q, r)
}

// limited returns settings of 2,000 queries at 1,000 queries per second. Nine of them may take more than 100 ms.
func limited() loadgen.TestSettings {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS, s.MinQueryCount, s.ServerTargetLatency = 1000, 2000, 100*time.Millisecond
	return s
}

func (l *lateFrom) test(t *testing.T, s loadgen.TestSettings, abort bool) (*loadgen.Result, error) {
	t.Helper()
	return loadgen.StartTest(loadgentest.WithClock(t.Context(), l.Clock), l, loadgentest.QSL{Total: 10}, s,
		loadgen.LogSettings{Progress: &l.progress, AbortEarly: abort})
}

// Of 2,000 queries at the 99th percentile, 9 may be late. At 1,000 queries per second, the tenth late query is known
// 100 ms, the limit, after its issue.
func TestOutlookTellsAtOnce(t *testing.T) {
	s := limited()
	sut := newLateFrom(500)
	r, err := sut.test(t, s, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.QueryCount != 2000 || r.Aborted != nil || r.Verdict != loadgen.Invalid || len(r.Warnings) != 0 {
		t.Errorf("%d queries, aborted %v, verdict %s, warnings %v", r.QueryCount, r.Aborted, r.Verdict, r.Warnings)
	}
	first := 0
	for n := range 2000 {
		if sut.seen[n] != "" {
			first = n
			break
		}
	}
	if first < 590 || first > 640 || !strings.Contains(sut.seen[first],
		"10 queries are above the latency limit of 100 ms already, and a run of 2,000 queries forgives 9") {
		t.Errorf("told after %d queries: %q, want about 610", first, sut.seen[first])
	}
	if len(r.Notes) != 1 || r.Notes[0].About != "hopeless" {
		t.Errorf("notes %v", r.Notes)
	}
}

// With exactly the allowed number of late queries, the run is not hopeless and becomes VALID.
func TestOutlookForgives(t *testing.T) {
	s := limited()
	for late, hope := range map[loadgen.ResponseID]bool{9: true, 10: false} {
		sut := newLateFrom(2000 - late)
		r, err := sut.test(t, s, false)
		if err != nil {
			t.Fatal(err)
		}
		if valid := r.Verdict == loadgen.Valid; valid != hope {
			t.Errorf("%d late queries: %s %v", late, r.Verdict, r.Reasons)
		}
	}
}

func TestAbortEarly(t *testing.T) {
	s := limited()
	r, err := newLateFrom(500).test(t, s, true)
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(r.Aborted, loadgen.ErrHopeless) || r.QueryCount < 590 || r.QueryCount > 640 ||
		r.Verdict != loadgen.Invalid {
		t.Errorf("%d queries, aborted %v, verdict %s", r.QueryCount, r.Aborted, r.Verdict)
	}
	if r.Latency.N != int(r.QueryCount) {
		t.Errorf("%d of %d queries are answered, want all: what is under way is awaited", r.Latency.N, r.QueryCount)
	}
	if len(r.Errors) != 1 || !strings.HasPrefix(r.Errors[0].Message, "Test aborted: the run can only end INVALID: ") ||
		r.Reasons[0].Rule != "aborted" {
		t.Errorf("errors %v, reasons %v", r.Errors, r.Reasons)
	}
}

// On the machine's clock, a goroutine checks the run ten times a second.
func TestAbortEarlyOnRealTime(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS, s.MinQueryCount, s.ServerTargetLatency = 1000, 60000, time.Millisecond
	sut := &loadgentest.Script{Latency: func(loadgen.QuerySample) time.Duration { return 3 * time.Millisecond }}
	r, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 10}, s, loadgen.LogSettings{AbortEarly: true})
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(r.Aborted, loadgen.ErrHopeless) || r.QueryCount >= 60000 || r.Latency.N == 0 {
		t.Errorf("%d queries, %d answered, aborted %v", r.QueryCount, r.Latency.N, r.Aborted)
	}
}

func TestOutlookOfTokens(t *testing.T) {
	for name, limits := range map[string][2]time.Duration{"TTFT": {time.Millisecond, time.Second},
		"TPOT": {time.Second, time.Millisecond}} {
		s := tokenSettings(loadgen.Server, loadgen.PerformanceOnly)
		s.ServerTargetQPS, s.MinQueryCount = 1000, 2000
		s.ServerTTFTLatency, s.ServerTPOTLatency = limits[0], limits[1]
		clock := &loadgentest.Clock{}
		sut := speaking(clock, 2*time.Millisecond, 2*time.Millisecond, tenTokens)
		r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 10}, s,
			loadgen.LogSettings{AbortEarly: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Aborted == nil || !strings.Contains(r.Aborted.Error(), "above the "+name+" limit of 1 ms") ||
			r.QueryCount > 100 {
			t.Errorf("%s: %d queries, aborted %v", name, r.QueryCount, r.Aborted)
		}
	}
}

// If settings make a run hopeless for any SUT, this is reported before any query is issued.
func TestHopelessSettings(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*loadgen.TestSettings)
		says   string // empty: not hopeless
	}{
		{"enough", func(*loadgen.TestSettings) {}, ""},
		{"counts", func(s *loadgen.TestSettings) { s.MaxQueryCount = 699 },
			"max_query_count = 699 ends the run before min_query_count = 700"},
		{"durations", func(s *loadgen.TestSettings) { s.MinDuration, s.MaxDuration = 2*time.Second, time.Second },
			"max_duration = 1 s ends the run before min_duration = 2 s"},
		{"server", func(s *loadgen.TestSettings) { s.MinQueryCount = 459 }, ""},
		// known together with the schedule
		{"nearly enough for server", func(s *loadgen.TestSettings) { s.MinQueryCount = 458 }, "early stopping needs 459"},
		{"few server", func(s *loadgen.TestSettings) { s.MinQueryCount = 100 },
			"early stopping needs 459 for the 99.0th percentile"},
		{"stream", func(s *loadgen.TestSettings) { s.Scenario, s.MinQueryCount = loadgen.SingleStream, 64 }, ""},
		{"few stream", func(s *loadgen.TestSettings) { s.Scenario, s.MinQueryCount = loadgen.SingleStream, 63 },
			"at most 63 queries are issued, and early stopping needs 64"},
		{"few multi", func(s *loadgen.TestSettings) { s.Scenario, s.MinQueryCount = loadgen.MultiStream, 661 },
			"early stopping needs 662"},
		{"offline", func(s *loadgen.TestSettings) { s.Scenario, s.MinQueryCount = loadgen.Offline, 1 }, ""},
		{"search", func(s *loadgen.TestSettings) { s.Mode, s.MinQueryCount = loadgen.FindPeakPerformance, 10 }, ""},
		{"accuracy", func(s *loadgen.TestSettings) { s.Mode, s.MinQueryCount = loadgen.AccuracyOnly, 10 }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := quick(loadgen.Server, loadgen.PerformanceOnly)
			c.change(&s)
			clock := &loadgentest.Clock{}
			sut := &loadgentest.Script{Clock: clock}
			r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 10}, s,
				loadgen.LogSettings{AbortEarly: true})
			if err != nil {
				t.Fatal(err)
			}
			if c.says == "" {
				if r.Aborted != nil {
					t.Errorf("aborted: %v", r.Aborted)
				}
				return
			}
			if r.Aborted == nil || !strings.Contains(r.Aborted.Error(), c.says) || len(sut.Queries()) != 0 {
				t.Errorf("aborted %v after %d queries, want %q", r.Aborted, len(sut.Queries()), c.says)
			}
		})
	}
}

// The schedule determines, before the first query, which of Server's queries the limits allow.
func TestHopelessSchedule(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*loadgen.TestSettings)
		says   string // empty: not hopeless
	}{
		"long enough": {func(s *loadgen.TestSettings) { s.MaxDuration = 3 * time.Second }, ""},
		"max_duration": {func(s *loadgen.TestSettings) { s.MaxDuration = time.Second },
			"max_duration = 1 s ends the run after at most"},
		"early stopping": {func(s *loadgen.TestSettings) {
			s.MinQueryCount, s.MinDuration, s.MaxDuration = 1, 400*time.Millisecond, 400*time.Millisecond
		}, "and early stopping needs 459"},
		"min_duration": {func(s *loadgen.TestSettings) {
			s.MinQueryCount, s.MinDuration, s.MaxQueryCount = 700, 2*time.Second, 1000
		}, "before min_duration = 2 s is reached"},
		"threads": {func(s *loadgen.TestSettings) {
			s.MinQueryCount, s.MinDuration, s.MaxQueryCount, s.ServerNumIssueQueryThreads = 700, 2*time.Second, 1000, 3
		}, "max_query_count = 1000 ends the run"},
	} {
		t.Run(name, func(t *testing.T) {
			s := quick(loadgen.Server, loadgen.PerformanceOnly)
			s.ServerTargetQPS, s.MinQueryCount = 1000, 2000
			c.change(&s)
			clock := &loadgentest.Clock{}
			sut := &loadgentest.Script{Clock: clock}
			r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 10}, s,
				loadgen.LogSettings{AbortEarly: true})
			if err != nil {
				t.Fatal(err)
			}
			if (r.Aborted == nil) != (c.says == "") ||
				r.Aborted != nil && (!strings.Contains(r.Aborted.Error(), c.says) || len(sut.Queries()) != 0) {
				t.Errorf("after %d queries: %v, want %q", len(sut.Queries()), r.Aborted, c.says)
			}
			if c.says == "" && r.Verdict != loadgen.Valid {
				t.Errorf("%s: %v", r.Verdict, r.Reasons)
			}
			clock = &loadgentest.Clock{}
			without, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), &loadgentest.Script{Clock: clock},
				loadgentest.QSL{Total: 10}, s, loadgen.LogSettings{})
			if err != nil || (without.Verdict == loadgen.Valid) != (c.says == "") {
				t.Errorf("without an early end: %v, %v", without.Verdict, err)
			}
		})
	}
}
