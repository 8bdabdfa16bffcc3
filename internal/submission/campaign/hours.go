package campaign

import (
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// offlineSlack is by how much Offline's one query is larger than the expected rate fills the duration with.
const offlineSlack = 1.1

// expectedTime is about how long a run takes by its settings, without loading: as long as LoadGen makes it, at the rate
// or the latency that the settings expect. samples is the size of the data set; 0: not known. Where nobody has said
// what rate to expect of Offline it is the least, and sure is false.
func expectedTime(r bench.PlannedRun, samples int) (takes time.Duration, sure bool) {
	s := r.Settings.TestSettings
	known := s.Scenario != loadgen.Offline || !strings.HasPrefix(r.Settings.Origins["OfflineExpectedQPS"].Source, "rules ")
	switch {
	case !known && r.Mode == loadgen.AccuracyOnly:
		return 0, false
	case !known:
		return s.MinDuration, false
	case r.Mode == loadgen.AccuracyOnly:
		return inTime(float64(samples), expectedRate(s)), samples > 0
	}
	return measuredTime(s), true
}

// measuredTime is how long a performance run takes.
func measuredTime(s loadgen.TestSettings) time.Duration {
	count := float64(s.MinQueryCount)
	switch s.Scenario {
	case loadgen.Offline:
		count = max(count, offlineSlack*s.OfflineExpectedQPS*s.MinDuration.Seconds())
	case loadgen.MultiStream:
		count *= float64(s.MultiStreamSamplesPerQuery)
	}
	return max(s.MinDuration, inTime(count, expectedRate(s)))
}

// expectedRate is the samples per second that the settings expect.
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

// inTime is how long samples take at a rate; 0 where that is nothing to reckon with.
func inTime(samples, rate float64) time.Duration {
	seconds := samples / rate
	if math.IsNaN(seconds) || seconds < 0 || seconds > math.MaxInt64/float64(time.Second) {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// datasetSize is the size of the data set of a plan's run, as far as the manifest knows it; 0: it does not.
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
