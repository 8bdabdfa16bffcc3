package loadgen

import "time"

// Phase is what a test is doing.
type Phase int32

// The phases, in order.
const (
	PhaseIdle Phase = iota
	PhaseLoading
	PhaseWarmUp
	PhaseIssuing
	PhaseDraining // waiting for outstanding completions
	PhaseWriting
	PhaseDone
)

// ProgressSnapshot is the state of a running test.
type ProgressSnapshot struct {
	Phase       Phase
	Mode        Mode // AccuracyOnly or PerformanceOnly: the series under way
	Elapsed     time.Duration
	MinDuration time.Duration
	Queries     uint64 // issued in this series
	MinQueries  uint64
	Planned     uint64 // samples generated for this series
	Issued      uint64 // samples
	Done        uint64 // samples
	// Latency is the current latency at the target percentile over what is done so far, 0 before the first
	// completion; computed when the snapshot is taken.
	Latency      time.Duration
	LatencyLimit time.Duration // 0: none
}
