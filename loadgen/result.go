package loadgen

import "time"

// Verdict is VALID or INVALID, as in the summary log.
type Verdict string

// The verdicts. An AccuracyOnly test has none.
const (
	Valid   Verdict = "VALID"
	Invalid Verdict = "INVALID"
)

// Percentile is a measured order statistic: the element at index trunc(n*P) of the n sorted latencies.
type Percentile struct {
	P       float64 // fraction, such as 0.99
	Latency time.Duration
}

// LatencySummary describes n latencies. Mean is truncated to whole nanoseconds.
type LatencySummary struct {
	N              int
	Min, Max, Mean time.Duration
	Percentiles    []Percentile // at .50 .90 .95 .97 .99 .999, as in the logs
}

// Reason is one rule that the run did not meet: what was measured, what was needed, what to change.
type Reason struct {
	Rule     string // stable word for machines, the Name of one of Rules
	Measured string // with unit
	Needed   string // with unit
	Hint     string // what to do, one sentence
}

// EarlyStopping is the early-stopping estimate of one percentile (confidence 0.99, tolerance 0).
type EarlyStopping struct {
	Met              bool
	Percentile       float64       // fraction
	Estimate         time.Duration // SingleStream, MultiStream: the latency to report; 0 where not available
	QueriesProcessed uint64
	QueriesNeeded    uint64 // the least number that would do, where Met is false
	Overlatency      uint64 // Server: queries above the limit
	Text             string // as in the summary log
}

// Note is a finding about a run that does not belong to a rule.
type Note struct {
	About string // stable word for machines: "hopeless", "issue_delay", "standstill"
	Text  string // what was found, with units, and what to do
}

// LoggedError is an error or warning entry of the detail log.
type LoggedError struct {
	Key     string // as in the detail log: error_runtime, warning_generic_message, ...
	Message string
	Warning bool
}

// Trial is one run of FindPeakPerformance.
type Trial struct {
	TargetQPS float64
	Met       bool       // the latency limit
	Latency   Percentile // at the target percentile
}

// Result is everything the summary log says, unrounded, and why.
type Result struct {
	SUTName, QSLName string
	Requested        TestSettings
	Effective        EffectiveSettings

	// Verdict is empty for AccuracyOnly.
	Verdict Verdict
	Reasons []Reason // empty when VALID
	// The four conditions of a VALID run.
	PerformanceConstraintsMet, MinDurationMet, MinQueriesMet, EarlyStoppingMet bool

	Started  time.Time     // wall clock at the start of the (last) timed series
	Duration time.Duration // from the start to the last completion of the performance series

	QueryCount  uint64 // issued in the performance series
	SampleCount uint64

	// MetricName, Metric and MetricUnit are the scenario's headline: SingleStream and MultiStream the early-stopping
	// latency estimate in ns (the target percentile where there is none), Server completed samples/s, Offline samples/s.
	MetricName, MetricUnit string
	Metric                 float64

	TargetPercentile       Percentile     // latency at the scenario's target percentile
	Latency                LatencySummary // per sample
	QueryLatency           LatencySummary // per query (MultiStream)
	IssueDelay             LatencySummary // per query, Server and Offline: issue time minus scheduled time
	EarlyStopping          EarlyStopping
	EarlyStopping99        *EarlyStopping // SingleStream's second, fixed estimate
	OverlatencyCount       uint64         // Server; MultiStream at an arrival interval: Intervals.Overtime
	Intervals              *Intervals     // MultiStream at an arrival interval, else nil
	Capacity               *Capacity      // Server runs that missed a limit: an estimate of what would pass; else nil
	QPSWithOverhead        float64        // SingleStream
	QPSWithoutOverhead     float64        // SingleStream
	ScheduledSamplesPerSec float64        // Server
	CompletedSamplesPerSec float64        // Server
	SamplesPerSec          float64        // Offline
	// Tokens is what a token run measured; nil elsewhere. EarlyStopping is then that of TPOT or TTFT.
	Tokens *TokenResult
	// InferredTokensPerSec is the rate times TokenLatencyScalingFactor, with InferTokenLatencies in Server and Offline.
	InferredTokensPerSec float64
	// Trials are the runs of FindPeakPerformance, in order. Everything else is of the run at the highest rate that met
	// the limit, Effective.TargetQPS; where none did, of the first run.
	Trials []Trial

	// Pauses are those in the performance series: with one the run is INVALID.
	Pauses []Pause

	Errors, Warnings []LoggedError
	// Notes are findings that the official logs have no place for.
	Notes []Note
	// AccuracySampleCount is how many responses went to the accuracy log.
	AccuracySampleCount uint64
	// Aborted says why the test ended before its natural end; nil otherwise. The logs are kept and marked.
	Aborted error
	// LogFiles are the paths of the files written: summary, detail, accuracy, trace.
	LogFiles []string
}

// EffectiveSettings are the settings as the run used them, after the scenario's rules (effective_* of the detail log).
type EffectiveSettings struct {
	Scenario                Scenario
	Mode                    Mode
	SamplesPerQuery         uint64
	TargetQPS               float64
	TargetLatency           time.Duration // 0 unless Server
	TargetLatencyPercentile float64
	MaxAsyncQueries         uint64
	TargetDuration          time.Duration
	ArrivalInterval         time.Duration // MultiStream in the rounds v0.5 to v1.1; else 0
	NoEarlyStopping         bool
	MinDuration             time.Duration
	MaxDuration             time.Duration
	MinQueryCount           uint64
	MaxQueryCount           uint64
	MinSampleCount          uint64
	QSLRNGSeed              uint64
	SampleIndexRNGSeed      uint64
	ScheduleRNGSeed         uint64
	AccuracyLogRNGSeed      uint64
	PerformanceSampleCount  uint64
	AccuracySampleCount     uint64
}
