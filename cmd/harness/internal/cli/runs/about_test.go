package runs

import (
	"slices"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// TestAbout: smoke runs that take a while are announced once, when a sample is done.
func TestAbout(t *testing.T) {
	run := func(s loadgen.TestSettings, mode loadgen.Mode) bench.PlannedRun {
		s.Mode = mode
		r := bench.PlannedRun{Scenario: s.Scenario, Mode: mode}
		r.Settings.Settings = mlconf.Settings{TestSettings: s}
		return r
	}
	all := []bench.PlannedRun{
		run(loadgen.TestSettings{Scenario: loadgen.SingleStream, MinQueryCount: 20}, loadgen.PerformanceOnly),
		run(loadgen.TestSettings{Scenario: loadgen.MultiStream, MinQueryCount: 5, MultiStreamSamplesPerQuery: 8},
			loadgen.PerformanceOnly),
		run(loadgen.TestSettings{Scenario: loadgen.Server, MinQueryCount: 50, ServerTargetQPS: 10,
			MinDuration: 3 * time.Second}, loadgen.PerformanceOnly),
		run(loadgen.TestSettings{Scenario: loadgen.Offline, MinQueryCount: 10}, loadgen.AccuracyOnly),
	}
	at := loadgen.ProgressSnapshot{Elapsed: time.Second, Done: 2}
	a := paceNote{samples: 100}
	if got := a.announceOnce(settings.Smoke, all, loadgen.ProgressSnapshot{Elapsed: time.Second}); got != "" {
		t.Errorf("nothing is done: %q", got)
	}
	// 10 s, 20 s, 5 s at the rate of Server's own, whose limit is out of reach, 50 s
	want := "about 1 min 25 s for 4 runs, at the pace of the first samples"
	if got := a.announceOnce(settings.Smoke, all, at); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := a.announceOnce(settings.Smoke, all, at); got != "" {
		t.Errorf("twice: %q", got)
	}
	if got := (&paceNote{samples: 100}).announceOnce(settings.Official, all, at); got != "" {
		t.Errorf("official: %q", got)
	}
	replay := append([]bench.PlannedRun{{Replay: true}}, all...)
	if got := (&paceNote{samples: 100}).announceOnce(settings.Smoke, replay, at); got != "" {
		t.Errorf("a replay: %q", got)
	}
	patient := slices.Clone(all)
	patient[2].Settings.ServerTargetLatency = time.Minute
	patient[2].Settings.Origins = map[string]mlconf.Origin{}
	want = "about 2 min 10 s for 4 runs, at the pace of the first samples" // 50 s at half of 2/s
	if got := (&paceNote{samples: 100}).announceOnce(settings.Smoke, patient, at); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	quick := loadgen.ProgressSnapshot{Elapsed: time.Second, Done: 1000}
	if got := (&paceNote{samples: 100}).announceOnce(settings.Smoke, all, quick); got != "" {
		t.Errorf("seconds: %q", got)
	}
}
