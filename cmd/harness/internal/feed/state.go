package feed

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// Run is the known state of a run of the command.
type Run struct {
	PlannedInfo
	StartData
	Began   time.Time // start of LoadGen; zero before
	Phase   string
	Elapsed time.Duration
	loadgen.Counts
	sampleTally
	Workload *record.Workload // nil before the plugin opens it
	Result   *record.Run      // nil before the end of the run
}

// Outstanding returns the number of samples issued but not completed.
func (r *Run) Outstanding() uint64 { return r.Issued - min(r.Done, r.Issued) }

// Percentile returns the percentile of the scenario's latency limit, as a fraction. It is 0 for Offline, which has no
// limit.
func Percentile(t bench.PlannedRun) float64 {
	s := t.Settings.TestSettings
	switch t.Scenario {
	case loadgen.SingleStream:
		return s.SingleStreamTargetLatencyPercentile
	case loadgen.MultiStream:
		return s.MultiStreamTargetLatencyPercentile
	case loadgen.Server:
		return s.ServerTargetLatencyPercentile
	}
	return 0
}

// runLimits returns the limits of a run. Accuracy runs have none.
func runLimits(t bench.PlannedRun) StartData {
	if t.Mode == loadgen.AccuracyOnly {
		return StartData{}
	}
	s := t.Settings.TestSettings
	out := StartData{Percentile: Percentile(t), MinDurationS: s.MinDuration.Seconds(), MinQueries: s.MinQueryCount}
	switch {
	case t.Scenario == loadgen.Server && s.UseTokenLatencies:
		out.TTFTLimitNS, out.TPOTLimitNS = int64(s.ServerTTFTLatency), int64(s.ServerTPOTLatency)
	case t.Scenario == loadgen.Server:
		out.LimitNS = int64(s.ServerTargetLatency)
	case t.Scenario == loadgen.MultiStream:
		out.LimitNS = int64(s.MultiStreamArrivalInterval)
	}
	return out
}

// phases maps LoadGen's phases to their names in events.
var phases = map[loadgen.Phase]string{
	loadgen.PhaseIdle: "loading", loadgen.PhaseLoading: "loading", loadgen.PhaseWarmUp: "warmup",
	loadgen.PhaseIssuing: "issuing", loadgen.PhaseDraining: "draining", loadgen.PhaseWriting: "writing",
	loadgen.PhaseDone: "done",
}

// Phases returns the names of all phases, in order.
func Phases() []string {
	return []string{"loading", "warmup", "issuing", "draining", "writing", "done"}
}
