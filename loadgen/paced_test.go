package loadgen_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// threaded returns settings with several issuing goroutines.
func threaded(n uint64) loadgen.TestSettings {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS, s.ServerNumIssueQueryThreads = 1000, n
	return s
}

// The number of issuing goroutines does not change the traffic.
func TestThreadsIssueTheSameTraffic(t *testing.T) {
	for _, coalesce := range []bool{false, true} {
		one := threaded(0)
		one.ServerCoalesceQueries = coalesce
		many := one
		many.ServerNumIssueQueryThreads = 4
		_, a := virtual(t, one, time.Millisecond)
		r, b := virtual(t, many, time.Millisecond)
		if !reflect.DeepEqual(a.Queries(), b.Queries()) || r.QueryCount != 700 || r.Verdict != loadgen.Valid {
			t.Errorf("coalesce %v: other traffic of %d queries, verdict %s", coalesce, r.QueryCount, r.Verdict)
		}
	}
}

func TestThreadsDivideLimits(t *testing.T) {
	s := threaded(3)
	s.MaxQueryCount = 10
	r, _ := virtual(t, s, time.Millisecond)
	if r.QueryCount != 10 {
		t.Errorf("%d queries with max_query_count = 10", r.QueryCount)
	}
	for k, want := range []string{"query_count 3", "query_count 3", "query_count 4"} { // thread 0 ends last
		if !strings.HasPrefix(r.Errors[k].Message, "IssueQueryThread ") || !strings.HasSuffix(r.Errors[k].Message, want) {
			t.Errorf("error %q, want %s", r.Errors[k].Message, want)
		}
	}
	s = threaded(4)
	s.ServerMaxAsyncQueries = 21 // 6 for thread 0, 5 for each other
	r, _ = virtual(t, s, time.Hour)
	if r.QueryCount != 25 || len(r.Errors) != 4 {
		t.Errorf("%d queries, errors %v, want 25 and one of each thread", r.QueryCount, r.Errors)
	}
}

// If only one thread stops early, the issued queries are not contiguous. The records must belong to the issued queries.
func TestThreadThatStopsAlone(t *testing.T) {
	s := threaded(2)
	s.MinQueryCount, s.ServerMaxAsyncQueries, s.AccuracyLogProbability = 100, 2, 1
	clock := &loadgentest.Clock{}
	sut := &loadgentest.Script{Clock: clock, Latency: func(q loadgen.QuerySample) time.Duration {
		if q.ID%2 == 0 { // thread 0 waits for an hour
			return time.Hour + time.Duration(q.ID)
		}
		return 5*time.Microsecond + time.Duration(q.ID)
	}}
	dir := t.TempDir()
	r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 100}, s,
		loadgen.LogSettings{OutDir: dir, EnableTrace: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.QueryCount != 52 || r.Latency.N != 52 || r.Latency.Max != time.Hour+2 || r.Latency.Min != 5*time.Microsecond+1 {
		t.Errorf("%d queries with latencies %+v, want 2 of thread 0 and 50 of thread 1", r.QueryCount, r.Latency)
	}
	traced := readTrace(t, dir)
	if len(traced) != 52 {
		t.Fatalf("%d samples traced", len(traced))
	}
	for i, q := range sut.Queries() {
		s, at := q.Samples[0], traced[i]
		if uint64(s.ID) != at.SampleSeq || uint64(s.ID) != at.QuerySeq || uint64(s.Index) != at.Index {
			t.Fatalf("query %d: sample %+v traced as %+v", i, s, at)
		}
	}
}

// hub is a SUT whose first calls wait for each other.
type hub struct {
	loadgentest.Script
	first atomic.Int64
	meet  sync.WaitGroup
	fail  func(call int64) error
}

func (h *hub) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	n := h.first.Add(-1)
	if n >= 0 {
		h.meet.Done()
		h.meet.Wait()
	}
	if h.fail != nil {
		if err := h.fail(-n); err != nil {
			return err
		}
	}
	return h.Script.IssueQuery(ctx, q, r)
}

func newHub(n int) *hub {
	h := &hub{}
	h.first.Store(int64(n))
	h.meet.Add(n)
	return h
}

func TestThreadsIssueConcurrently(t *testing.T) {
	for _, mode := range []loadgen.Mode{loadgen.PerformanceOnly, loadgen.AccuracyOnly} {
		s := threaded(4)
		s.Mode, s.ServerTargetQPS = mode, 1e5
		h := newHub(4)
		r, err := loadgen.StartTest(t.Context(), h, loadgentest.QSL{Total: 1000, Performance: 900}, s, loadgen.LogSettings{})
		if err != nil {
			t.Fatal(err)
		}
		var ids []loadgen.ResponseID
		for _, q := range h.Queries() {
			ids = append(ids, q.Samples[0].ID)
		}
		slices.Sort(ids)
		want := map[loadgen.Mode]int{loadgen.PerformanceOnly: 700, loadgen.AccuracyOnly: 1000}[mode]
		if len(slices.Compact(ids)) != want || len(r.Errors) != 0 {
			t.Errorf("%v: %d different ids, want %d; errors %v", mode, len(ids), want, r.Errors)
		}
	}
}

func TestThreadFailureStopsTheOthers(t *testing.T) {
	h := newHub(3)
	h.fail = func(call int64) error {
		if call == 50 {
			return errBoom
		}
		return nil
	}
	s := threaded(3)
	s.ServerTargetQPS, s.MinQueryCount = 1e4, 1e6
	r := aborted(t, t.Context(), h, loadgentest.QSL{Total: 10}, s, errBoom, "issuing query")
	if r.QueryCount >= s.MinQueryCount {
		t.Errorf("%d queries were issued: all", r.QueryCount)
	}
}

func TestThreadsEndWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHub(3)
	h.fail = func(call int64) error {
		if call == 20 {
			cancel()
		}
		return nil
	}
	s := threaded(3)
	s.ServerTargetQPS, s.MinQueryCount = 1e4, 1e6
	aborted(t, ctx, h, loadgentest.QSL{Total: 10}, s, loadgen.ErrInterrupted)
}

func TestThreadSettings(t *testing.T) {
	for text, change := range map[string]func(*loadgen.TestSettings){
		"server_max_async_queries":       func(s *loadgen.TestSettings) { s.ServerMaxAsyncQueries = 2 },
		"max_query_count":                func(s *loadgen.TestSettings) { s.MaxQueryCount = 2 },
		"server_num_issue_query_threads": func(s *loadgen.TestSettings) { s.ServerNumIssueQueryThreads = 1 << 40 },
	} {
		s := threaded(3)
		change(&s)
		_, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 10}, s, loadgen.LogSettings{})
		if !errors.Is(err, loadgen.ErrBadSettings) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("error %v, want one about %s", err, text)
		}
	}
}

// readTrace reads the samples of a trace log in order.
func readTrace(t *testing.T, dir string) []mllog.TraceSample {
	t.Helper()
	var list []mllog.TraceSample
	text, err := os.ReadFile(filepath.Join(dir, "mlperf_log_trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	for r := mllog.NewTraceReader(bytes.NewReader(text)); ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := e.Sample(); ok {
			list = append(list, s)
		}
	}
}
