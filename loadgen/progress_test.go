package loadgen_test

import (
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

func TestSnapshotBeforeATest(t *testing.T) {
	if s := new(loadgen.Progress).Snapshot(); s != (loadgen.ProgressSnapshot{}) {
		t.Errorf("snapshot %+v, want zero", s)
	}
}

func TestSnapshotsDuringATest(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS, s.MinQueryCount = 1000, 5000
	clock, progress := &loadgentest.Clock{}, &loadgen.Progress{}
	var halfway loadgen.ProgressSnapshot
	sut := &loadgentest.Script{Clock: clock, Latency: func(s loadgen.QuerySample) time.Duration {
		if s.ID == 2500 {
			halfway = progress.Snapshot()
		}
		return 5 * time.Millisecond
	}}
	r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 64}, s,
		loadgen.LogSettings{Progress: progress})
	if err != nil {
		t.Fatal(err)
	}
	if halfway.Phase != loadgen.PhaseIssuing || halfway.Mode != loadgen.PerformanceOnly || halfway.Queries != 2501 ||
		halfway.Planned != 5000 || halfway.Issued != 2501 || halfway.Done < 2400 || halfway.Done > 2500 {
		t.Errorf("halfway: %+v", halfway)
	}
	if halfway.Latency != 5*time.Millisecond || halfway.LatencyLimit != s.ServerTargetLatency ||
		halfway.Elapsed < 2*time.Second || halfway.MinQueries != 5000 {
		t.Errorf("halfway: %+v", halfway)
	}
	end := progress.Snapshot()
	if end.Phase != loadgen.PhaseDone || end.Done != 5000 || end.Elapsed < r.Duration {
		t.Errorf("at the end: %+v", end)
	}
}

func TestSnapshotOfATokenRun(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.UseTokenLatencies, s.ServerTargetQPS, s.MinQueryCount = true, 1000, 5000
	clock, progress := &loadgentest.Clock{}, &loadgen.Progress{}
	var halfway loadgen.ProgressSnapshot
	sut := speaking(clock, 3*time.Millisecond, time.Millisecond, func(s loadgen.QuerySample) int64 {
		if s.ID == 2500 {
			halfway = progress.Snapshot()
		}
		return 10
	})
	if _, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 64}, s,
		loadgen.LogSettings{Progress: progress}); err != nil {
		t.Fatal(err)
	}
	k := halfway.Tokens
	if k.TTFT != 3*time.Millisecond || k.TPOT != time.Millisecond || k.PerSec < 9000 || k.PerSec > 11000 {
		t.Errorf("halfway %+v, want 3 ms, 1 ms and about 10,000 tokens/s", k)
	}
}

// Any goroutine may take snapshots while the test runs. Counters never decrease within a series.
func TestSnapshotsFromAnotherGoroutine(t *testing.T) {
	progress := &loadgen.Progress{}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		var last loadgen.ProgressSnapshot
		for {
			s := progress.Snapshot()
			if s.Done > s.Issued || s.Issued > s.Planned || s.Mode == last.Mode && s.Phase == last.Phase &&
				s.Phase == loadgen.PhaseIssuing && s.Planned == last.Planned && s.Done < last.Done {
				t.Errorf("%+v after %+v", s, last)
			}
			last = s
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for _, scenario := range loadgen.Scenarios() {
		s := quick(scenario, loadgen.PerformanceOnly)
		s.MinQueryCount = 3000 + uint64(scenario) // the plan's size identifies the series
		sut := newPool()
		if _, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 100, Performance: 40}, s,
			loadgen.LogSettings{Progress: progress}); err != nil {
			t.Error(err)
		}
		sut.close()
	}
	close(stop)
	<-stopped
}
