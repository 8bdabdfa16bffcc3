package loadgen_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// interruption ends a test during the n-th call of one method.
type interruption struct {
	faultySUT
	kind   string
	left   int
	cancel context.CancelFunc
}

func (i *interruption) call(kind string) {
	if i.kind == kind {
		if i.left--; i.left == 0 {
			i.cancel()
		}
	}
}

// library returns the QSL that belongs to it.
func (i *interruption) library() loadgen.QSL {
	q := faultyQSL{QSL: loadgentest.QSL{Total: 30, Performance: 20}}
	q.load = func(context.Context) error { i.call("load"); return nil }
	q.unload = func(context.Context) error { i.call("unload"); return nil }
	return q
}

func newInterruption(kind string, n int, cancel context.CancelFunc) *interruption {
	i := &interruption{kind: kind, left: n, cancel: cancel}
	i.Latency = func(loadgen.QuerySample) time.Duration { return time.Millisecond }
	i.issue = func(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
		i.call("issue")
		return i.Script.IssueQuery(ctx, q, r)
	}
	i.flush = func(context.Context) error { i.call("flush"); return nil }
	i.warmUp = func(context.Context) error { i.call("warm-up"); return nil }
	return i
}

// A SubmissionRun has two loadable sets for accuracy and one for performance. Wherever its context ends, the test must
// end with readable logs and a Result. synctest checks that no goroutine remains.
func TestInterruptedInEveryPhase(t *testing.T) {
	for _, scenario := range []loadgen.Scenario{loadgen.SingleStream, loadgen.MultiStream, loadgen.Offline} {
		for _, c := range []struct {
			kind string
			n    int
		}{{"load", 1}, {"load", 2}, {"load", 3}, {"warm-up", 1}, {"issue", 1}, {"issue", 3}, {"flush", 1}, {"flush",
			3}, {"unload", 1}, {"unload", 2}} {
			t.Run(fmt.Sprintf("%v/%s %d", scenario, c.kind, c.n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					sut := newInterruption(c.kind, c.n, cancel)
					r := aborted(t, ctx, sut, sut.library(), quick(scenario, loadgen.SubmissionRun), loadgen.ErrInterrupted)
					if r.Verdict != loadgen.Invalid {
						t.Errorf("verdict %q", r.Verdict)
					}
					checkLogs(t, r)
				})
			})
		}
	}
}

// An interruption while the last samples are unloaded must not affect the result.
func TestInterruptedAtTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sut := newInterruption("unload", 1, cancel)
	sut.Latency = nil
	r, err := loadgen.StartTest(ctx, sut, sut.library(), quick(loadgen.Server, loadgen.PerformanceOnly),
		loadgen.LogSettings{OutDir: t.TempDir()})
	if err != nil || r.Aborted != nil || r.Verdict != loadgen.Valid {
		t.Errorf("error %v, aborted %v, verdict %s", err, r.Aborted, r.Verdict)
	}
}

// checkLogs reads the detail and the accuracy log completely.
func checkLogs(t *testing.T, r *loadgen.Result) {
	t.Helper()
	for _, path := range r.LogFiles {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Base(path) {
		case "mlperf_log_detail.txt":
			if _, err := mllog.ReadDetail(bytes.NewReader(text)); err != nil {
				t.Error(err)
			}
		case "mlperf_log_accuracy.json":
			if !bytes.HasPrefix(text, []byte("[")) || !bytes.HasSuffix(text, []byte("\n]\n")) {
				t.Errorf("accuracy log %.60q...", text)
			}
		}
	}
}

// If a library reports changing or impossible counts, LoadGen refuses it or uses the first ones.
func TestLyingLibrary(t *testing.T) {
	for _, counts := range [][2]int{{0, 1}, {-1, 1}, {1, -1}, {1 << 40, 1}} {
		qsl := loadgentest.QSL{Total: counts[0], Performance: counts[1]}
		_, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, qsl, quick(loadgen.Offline, loadgen.PerformanceOnly),
			loadgen.LogSettings{})
		if !errors.Is(err, loadgen.ErrBadQSL) {
			t.Errorf("counts %v: error %v, want ErrBadQSL", counts, err)
		}
	}
	q := &shrinking{QSL: loadgentest.QSL{Total: 100, Performance: 40}}
	for _, mode := range []loadgen.Mode{loadgen.AccuracyOnly, loadgen.PerformanceOnly} {
		q.calls = 0
		r, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, q, quick(loadgen.Server, mode),
			loadgen.LogSettings{})
		if err != nil || r.Effective.AccuracySampleCount != 100 || r.Effective.PerformanceSampleCount != 40 {
			t.Errorf("error %v, effective settings %+v", err, r)
		}
	}
}

// shrinking reports fewer samples with each call.
type shrinking struct {
	loadgentest.QSL
	calls int
}

func (q *shrinking) TotalSampleCount() int {
	q.calls++
	return q.Total / q.calls
}
