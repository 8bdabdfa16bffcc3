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

// paceNote says once how long the smoke runs of a plan take, by the pace of the first samples: nobody has said what
// rate to expect of them.
type paceNote struct {
	samples int // of the data set, once it is open; 0: not known
	told    bool
}

// worthTelling is from how long on runs are announced.
const worthTelling = 10 * time.Second

// tellOnce is what to say at this moment of the first of runs; empty: nothing.
func (a *paceNote) tellOnce(profile settings.Profile, runs []bench.PlannedRun, now loadgen.ProgressSnapshot) string {
	if profile != settings.Smoke || a.told || now.Done == 0 || now.Elapsed <= 0 {
		return ""
	}
	a.told = true
	if slices.ContainsFunc(runs, func(r bench.PlannedRun) bool { return r.Replay }) {
		return "" // turns become longer, and say nothing of the questions that come after them
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
	if whole < worthTelling {
		return ""
	}
	return fmt.Sprintf("about %s for %s, at the pace of the first samples", figure.Seconds(whole.Round(time.Second)),
		figure.Plural(len(runs), "run"))
}

// expectedTime is about how long a run takes whose samples take so many nanoseconds each, of a data set of so many.
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

// useServerRate lets Server have the rate that SingleStream would give it whose samples take so many nanoseconds each.
func useServerRate(s *settings.Settings, each float64) {
	takes := time.Duration(each)
	_, _ = s.UseStream(settings.Alone{Mean: takes, Latency: takes}) // what fails is said when the run begins
}
