package host_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// settings returns settings for a run of a fraction of a second.
func settings(s loadgen.Scenario) loadgen.TestSettings {
	t := loadgen.DefaultTestSettings()
	t.Scenario, t.Mode = s, loadgen.PerformanceOnly
	t.MinDuration, t.MinQueryCount = 100*time.Millisecond, 100
	t.SingleStreamExpectedLatency, t.MultiStreamExpectedLatency = time.Microsecond, 4*time.Microsecond
	t.ServerTargetQPS, t.OfflineExpectedQPS = 2000, 1e6
	return t
}

// openCount opens the plugin's default model with n samples.
func openCount(ctx context.Context, p *host.Plugin, s loadgen.Scenario, n int) (*host.Workload, error) {
	return p.Open(ctx, sdk.Options{Scenario: s, Count: n})
}

// untilFault returns settings of a run that a fault ends. Faults occur in the third frame or batch, and a short Server
// run may send all queries in two frames.
func untilFault(s loadgen.Scenario) loadgen.TestSettings {
	t := settings(s)
	if s == loadgen.Server {
		t.MinDuration = time.Minute
	}
	return t
}

// startTest opens a workload and runs a test on it.
func startTest(t *testing.T, p *host.Plugin, s loadgen.Scenario) (*loadgen.Result, error) {
	t.Helper()
	return runTest(t, p, settings(s))
}

// runTest is like startTest, with the given settings.
func runTest(t *testing.T, p *host.Plugin, s loadgen.TestSettings) (*loadgen.Result, error) {
	t.Helper()
	ctx, cancel := p.Context(t.Context())
	defer cancel()
	w, err := openCount(ctx, p, s.Scenario, 1000)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return loadgen.StartTest(ctx, w.SUT(), w.QSL(), s, loadgen.LogSettings{})
}

func TestEveryScenarioRuns(t *testing.T) {
	p := launch(t)
	for _, s := range loadgen.Scenarios() {
		t.Run(s.String(), func(t *testing.T) {
			r, err := startTest(t, p, s)
			if err != nil {
				t.Fatal(err)
			}
			if r.SampleCount < 100 || len(r.Errors) > 0 {
				t.Errorf("%d samples, errors %v", r.SampleCount, r.Errors)
			}
		})
	}
}

func TestTheBackendIsDescribedAgainAtTheEnd(t *testing.T) {
	p := launch(t)
	w, err := openCount(t.Context(), p, loadgen.SingleStream, 100)
	if err != nil {
		t.Fatal(err)
	}
	if n := w.Info().BackendInfo["batches"]; n != "0" {
		t.Errorf("%q batches before the run, want 0", n)
	}
	r, err := loadgen.StartTest(t.Context(), w.SUT(), w.QSL(), settings(loadgen.SingleStream), loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	batches, err := strconv.Atoi(w.Info().BackendInfo["batches"])
	if err != nil || uint64(batches) < r.SampleCount {
		t.Errorf("%d batches after %d samples (%v), want as many and those of the warm-up", batches, r.SampleCount, err)
	}
}

func TestSubmissionRun(t *testing.T) {
	p := launch(t)
	w, err := openCount(t.Context(), p, loadgen.Offline, 500)
	if err != nil {
		t.Fatal(err)
	}
	s := settings(loadgen.Offline)
	s.Mode = loadgen.SubmissionRun
	for range 2 { // a workload can serve any number of tests
		r, err := loadgen.StartTest(t.Context(), w.SUT(), w.QSL(), s, loadgen.LogSettings{OutDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if r.AccuracySampleCount != 500 {
			t.Errorf("%d samples in the accuracy log, want 500", r.AccuracySampleCount)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMutualTLS(t *testing.T) {
	if _, err := startTest(t, launchOwn(t, host.LaunchOptions{TLS: true}), loadgen.Server); err != nil {
		t.Error(err)
	}
}

func TestOutputIsPassedOnAndItsEndKept(t *testing.T) {
	var all lines
	p, err := launchWith(t, "flood", host.LaunchOptions{Stderr: &all})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := startTest(t, p, loadgen.Offline); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := all.len(); n < 1000*200<<10 { // 200 KiB for each of 1000 samples
		t.Errorf("%d bytes were passed on", n)
	}
	tail := p.StderrTail()
	if len(tail) == 0 || len(tail) > 100 {
		t.Errorf("%d lines of output are kept", len(tail))
	}
	for _, line := range tail {
		if len(line) > 10<<10 {
			t.Errorf("a line of %d bytes is kept", len(line))
		}
	}
}

// lines is a writer that counts lines.
type lines struct {
	mu sync.Mutex
	n  int
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += len(p)
	return len(p), nil
}

func (l *lines) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}
