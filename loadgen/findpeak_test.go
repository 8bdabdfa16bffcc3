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

// capacity is a SUT on virtual time that serves one query after another, each in a fixed time.
type capacity struct {
	loadgentest.Script
	each  time.Duration
	free  time.Duration // time at which it has served its queries
	calls int           // number of IssueQuery calls
	stop  func(calls int)
}

func newCapacity(each time.Duration) *capacity {
	c := &capacity{each: each}
	c.Clock = &loadgentest.Clock{}
	c.Latency = func(loadgen.QuerySample) time.Duration {
		now := c.Clock.Now()
		c.free = max(c.free, now) + c.each
		return c.free - now
	}
	return c
}

func (c *capacity) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	c.calls++
	if c.stop != nil {
		c.stop(c.calls)
	}
	return c.Script.IssueQuery(ctx, q, r)
}

func peakSettings(qps float64) loadgen.TestSettings {
	s := quick(loadgen.Server, loadgen.FindPeakPerformance)
	s.ServerTargetQPS, s.ServerTargetLatency = qps, 20*time.Millisecond
	s.MinQueryCount = 3000
	return s
}

func findPeak(t *testing.T, ctx context.Context, sut *capacity, s loadgen.TestSettings) (*loadgen.Result, error) {
	t.Helper()
	return loadgen.StartTest(loadgentest.WithClock(ctx, sut.Clock), sut, loadgentest.QSL{Total: 100}, s,
		loadgen.LogSettings{OutDir: t.TempDir()})
}

// The search ends at the highest rate at which the SUT meets its limit, with the result of that run.
func TestFindPeakEndsAtTheCapacity(t *testing.T) {
	for _, base := range []float64{1, 650} {
		r, err := findPeak(t, t.Context(), newCapacity(time.Millisecond), peakSettings(base))
		if err != nil {
			t.Fatal(err)
		}
		peak := r.Effective.TargetQPS
		if !r.PerformanceConstraintsMet || r.TargetPercentile.Latency > 20*time.Millisecond || peak < 700 || peak > 1000 {
			t.Errorf("from %v: peak %v with %+v", base, peak, r.TargetPercentile)
		}
		met, failed := 0.0, 1e9
		for _, trial := range r.Trials {
			if trial.Met {
				met = max(met, trial.TargetQPS)
			} else {
				failed = min(failed, trial.TargetQPS)
			}
		}
		if met != peak || failed <= peak || failed-peak > 0.2 || r.Requested.ServerTargetQPS != base {
			t.Errorf("from %v: the highest rate met is %v, the lowest failed %v, reported %v", base, met, failed, peak)
		}
	}
}

func TestFindPeakFromTooHighARate(t *testing.T) {
	r, err := findPeak(t, t.Context(), newCapacity(time.Millisecond), peakSettings(2000))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, r, "Initial lower bound does not satisfy performance constraints, msg: Reduce target QPS")
	if len(r.Trials) != 1 || r.Verdict != loadgen.Invalid || r.Effective.TargetQPS != 2000 {
		t.Errorf("%d trials, verdict %s at %v", len(r.Trials), r.Verdict, r.Effective.TargetQPS)
	}
}

// If no rate overloads the SUT, the search ends with a warning.
func TestFindPeakWithoutFailingRate(t *testing.T) {
	r, err := findPeak(t, t.Context(), newCapacity(0), peakSettings(1000))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, "no failing rate found") ||
		!r.PerformanceConstraintsMet {
		t.Errorf("warnings %v", r.Warnings)
	}
}

// If a search would need more samples than there are response ids, it stops before that run.
func TestFindPeakStopsWhereSchedulesOverflow(t *testing.T) {
	s := peakSettings(1)
	s.MinDuration, s.MinQueryCount, s.ServerFindPeakQPSBoundaryStepSize = time.Hour, 1, 1e7
	r, err := findPeak(t, t.Context(), newCapacity(0), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, "at most") || len(r.Trials) != 1 {
		t.Errorf("warnings %v after %d trials", r.Warnings, len(r.Trials))
	}
}

// An interrupted search returns the best run so far, marked as aborted.
func TestFindPeakInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sut := newCapacity(time.Millisecond)
	sut.stop = func(calls int) {
		if calls == 10000 {
			cancel()
		}
	}
	r, err := findPeak(t, ctx, sut, peakSettings(100))
	if !errors.Is(err, loadgen.ErrInterrupted) || r.Verdict != loadgen.Invalid || r.Aborted == nil {
		t.Fatalf("error %v, result %+v", err, r)
	}
	if len(r.Trials) != 3 || r.Effective.TargetQPS != 400 || r.QueryCount != 3000 {
		t.Errorf("%d trials, the run at %v with %d queries is reported, want 3, 400 and 3000",
			len(r.Trials), r.Effective.TargetQPS, r.QueryCount)
	}
}

func TestFindPeakSettings(t *testing.T) {
	for name, change := range map[string]func(*loadgen.TestSettings){
		"boundary_step_size":    func(s *loadgen.TestSettings) { s.ServerFindPeakQPSBoundaryStepSize = 0 },
		"decimals_of_precision": func(s *loadgen.TestSettings) { s.ServerFindPeakQPSDecimalsOfPrecision = -1 },
		"Server only":           func(s *loadgen.TestSettings) { s.Scenario = loadgen.Offline },
	} {
		s := peakSettings(100)
		change(&s)
		_, err := findPeak(t, t.Context(), newCapacity(0), s)
		if !errors.Is(err, loadgen.ErrBadSettings) || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one about %s", err, name)
		}
	}
}
