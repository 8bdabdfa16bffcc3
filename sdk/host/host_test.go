package host_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
	"github.com/plumbline-ml/plumbline/sdk/internal/handshake"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
)

// TestMain makes the test binary a plugin where a harness starts it.
func TestMain(m *testing.M) {
	if os.Getenv(handshake.CookieKey) == handshake.CookieValue {
		sdk.Main(null.Benchmark{}, sdk.WithBackend("null", null.Backend{}))
	}
	os.Exit(m.Run())
}

func launch(tb testing.TB) *host.Plugin {
	tb.Helper()
	path, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := host.Launch(tb.Context(), path, host.LaunchOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
	})
	return p
}

var _ = exec.Command
var _ = filepath.Join
var _ sync.Mutex
var _ = fmt.Sprint

type sink struct {
	mu   sync.Mutex
	n    int
	got  map[loadgen.ResponseID][]byte
	done chan struct{}
	want int
}

func (s *sink) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rs {
		s.got[r.ID] = append([]byte(nil), r.Data...)
	}
	s.n += len(rs)
	if s.n == s.want {
		close(s.done)
	}
}
func (s *sink) FirstTokenComplete([]loadgen.QuerySampleResponse) {}

func TestSmoke(t *testing.T) {
	t0 := time.Now()
	p := launch(t)
	t.Log("launch", time.Since(t0))
	d, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", d)
	for _, sc := range loadgen.Scenarios() {
		w, err := p.Open(t.Context(), sdk.Options{Scenario: sc})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", w.Info())
		var all []loadgen.SampleIndex
		for i := range 1000 {
			all = append(all, loadgen.SampleIndex(i))
		}
		if err := w.QSL().LoadSamplesToRAM(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		if err := w.SUT().(loadgen.Warmer).WarmUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := &sink{got: map[loadgen.ResponseID][]byte{}, done: make(chan struct{}), want: 100000}
		ctx, cancel := p.Context(t.Context())
		switch sc {
		case loadgen.Offline:
			var q loadgen.Query
			for i := range s.want {
				q.Samples = append(q.Samples, loadgen.QuerySample{ID: loadgen.ResponseID(i), Index: loadgen.SampleIndex(i % 1000)})
			}
			if err := w.SUT().IssueQuery(ctx, q, s); err != nil {
				t.Fatal(err)
			}
		default:
			for i := range s.want {
				if err := w.SUT().IssueQuery(ctx, loadgen.Query{Samples: []loadgen.QuerySample{{ID: loadgen.ResponseID(i), Index: loadgen.SampleIndex(i % 1000)}}}, s); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = w.SUT().FlushQueries(ctx)
		select {
		case <-s.done:
		case <-ctx.Done():
			t.Fatal(context.Cause(ctx))
		case <-time.After(10 * time.Second):
			t.Fatal("time", s.n)
		}
		cancel()
		if err := w.QSL().UnloadSamplesFromRAM(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	sc, err := p.OpenScorer(t.Context(), sdk.ScoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		_ = i
		if err := sc.Add(mllog.AccuracyEntry{QSLIndex: 0, Data: []byte{0, 0, 0, 0}, TokenCount: -1}); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println(sc.Result())
}
