package runs

import (
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// paceNote prints an estimate of the total time of smoke runs once. It uses the pace of the first samples, because
// there is no expected rate.
type paceNote struct {
	samples   int // of the opened data set; 0: unknown
	announced bool
}

// minAnnounced is the minimum total time for an announcement.
const minAnnounced = 10 * time.Second

// announceOnce returns the announcement during the first run, or "".
func (a *paceNote) announceOnce(profile settings.Profile, runs []bench.PlannedRun,
	now loadgen.ProgressSnapshot) string {
	if profile != settings.Smoke || a.announced || now.Done == 0 || now.Elapsed <= 0 {
		return ""
	}
	a.announced = true
	if slices.ContainsFunc(runs, func(r bench.PlannedRun) bool { return r.Replay }) {
		return "" // turns become longer, so the first ones do not predict the later ones
	}
	each := float64(now.Elapsed) / float64(now.Done)
	streams := slices.ContainsFunc(runs, func(r bench.PlannedRun) bool {
		return r.Scenario == loadgen.SingleStream && r.Mode == loadgen.PerformanceOnly
	})
	whole := time.Duration(0)
	for _, r := range runs {
		if streams {
			useServerRate(&r.Settings, each)
		}
		whole += expectedTime(r, each, a.samples)
	}
	if whole < minAnnounced {
		return ""
	}
	return fmt.Sprintf("about %s for %s, at the pace of the first samples", figure.Seconds(whole.Round(time.Second)),
		figure.Plural(len(runs), "run"))
}

// expectedTime estimates the time of a run. each is the time per sample in nanoseconds, and samples the size of the
// data set.
func expectedTime(r bench.PlannedRun, each float64, samples int) time.Duration {
	s := r.Settings.TestSettings
	count := float64(s.MinQueryCount)
	switch {
	case r.Mode == loadgen.AccuracyOnly:
		return time.Duration(float64(samples) * each)
	case s.Scenario == loadgen.MultiStream:
		count *= float64(s.MultiStreamSamplesPerQuery)
	case s.Scenario == loadgen.Server && s.ServerTargetQPS > 0:
		return max(s.MinDuration, time.Duration(count/s.ServerTargetQPS*float64(time.Second)))
	}
	return max(s.MinDuration, time.Duration(count*each))
}

// useServerRate sets the Server rate that a SingleStream run with this time per sample, in nanoseconds, would set.
func useServerRate(s *settings.Settings, each float64) {
	takes := time.Duration(each)
	_, _ = s.UseStream(settings.Alone{Mean: takes, Latency: takes}) // the run reports a failure when it starts
}
