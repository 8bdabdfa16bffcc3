package campaign

import (
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// offlineSlack is the ratio of the size of Offline's single query to the number of samples that the expected rate gives
// in the minimum duration.
const offlineSlack = 1.1

// expectedTime returns the expected duration of a run without loading, from LoadGen's settings and the expected rate or
// latency. samples is the size of the data set; 0: unknown. If no rate is set for Offline, the result is the minimum
// duration and sure is false.
func expectedTime(r bench.PlannedRun, samples int) (takes time.Duration, sure bool) {
	s := r.Settings.TestSettings
	known := s.Scenario != loadgen.Offline || !strings.HasPrefix(r.Settings.Origins["OfflineExpectedQPS"].Source, "rules ")
	switch {
	case !known && r.Mode == loadgen.AccuracyOnly:
		return 0, false
	case !known:
		return s.MinDuration, false
	case r.Mode == loadgen.AccuracyOnly:
		return timeAtRate(float64(samples), expectedRate(s)), samples > 0
	}
	return performanceTime(s), true
}

// performanceTime returns the expected duration of a performance run.
func performanceTime(s loadgen.TestSettings) time.Duration {
	count := float64(s.MinQueryCount)
	switch s.Scenario {
	case loadgen.Offline:
		count = max(count, offlineSlack*s.OfflineExpectedQPS*s.MinDuration.Seconds())
	case loadgen.MultiStream:
		count *= float64(s.MultiStreamSamplesPerQuery)
	}
	return max(s.MinDuration, timeAtRate(count, expectedRate(s)))
}

// expectedRate returns the expected samples per second.
func expectedRate(s loadgen.TestSettings) float64 {
	switch s.Scenario {
	case loadgen.SingleStream:
		return 1 / s.SingleStreamExpectedLatency.Seconds()
	case loadgen.MultiStream:
		return float64(s.MultiStreamSamplesPerQuery) / s.MultiStreamExpectedLatency.Seconds()
	case loadgen.Server:
		return s.ServerTargetQPS
	}
	return s.OfflineExpectedQPS
}

// timeAtRate returns the time for samples at a rate, or 0 if it is not a usable number.
func timeAtRate(samples, rate float64) time.Duration {
	seconds := samples / rate
	if math.IsNaN(seconds) || seconds < 0 || seconds > math.MaxInt64/float64(time.Second) {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// datasetSize returns the size of the data set for a planned run; 0: unknown.
func datasetSize(p *bench.Plan, r bench.PlannedRun) int {
	if p.Options.Count > 0 {
		return p.Options.Count
	}
	use := p.UseOf(r)
	if all := p.Served.Model.DatasetsFor(use, p.DatasetPath(use) == ""); len(all) > 0 {
		return all[0].Samples
	}
	return 0
}
