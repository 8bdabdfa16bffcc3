package loadgen

import "time"

// Verdict is VALID or INVALID, like in the summary log.
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

// Reason is a rule that the run did not meet, with the measured value, the required value and the necessary change.
type Reason struct {
	Rule     string // stable identifier, equal to the Name of one of Rules
	Measured string // with unit
	Needed   string // with unit
	Hint     string // what to do, in one sentence
}

// EarlyStopping is the early-stopping estimate of one percentile (confidence 0.99, tolerance 0).
type EarlyStopping struct {
	Met              bool
	Percentile       float64       // fraction
	Estimate         time.Duration // SingleStream, MultiStream: the latency to report; 0 if not available
	QueriesProcessed uint64
	QueriesNeeded    uint64 // minimum number if Met is false
	Overlatency      uint64 // Server: queries above the limit
	Text             string // as in the summary log
}

// Note is a finding about a run that does not belong to a rule.
type Note struct {
	About string // stable identifier: "hopeless", "issue_delay", "standstill"
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
	Met       bool       // met the latency limit
	Latency   Percentile // at the target percentile
}

// Result contains the unrounded contents of the summary log, and the reasons for the verdict.
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

	// Metric is the scenario's main result, with its name and unit: for SingleStream and MultiStream the early-stopping
	// estimate of the latency in ns (or the latency at the target percentile if there is none), for Server completed
	// samples/s, for Offline samples/s.
	MetricName, MetricUnit string
	Metric                 float64

	TargetPercentile       Percentile     // latency at the scenario's target percentile
	Latency                LatencySummary // per sample
	QueryLatency           LatencySummary // per query (MultiStream)
	IssueDelay             LatencySummary // per query, Server and Offline: issue time minus scheduled time
	EarlyStopping          EarlyStopping
	EarlyStopping99        *EarlyStopping // SingleStream's second, fixed estimate
	OverlatencyCount       uint64         // Server: queries above the limit; MultiStream: Intervals.Overtime
	Intervals              *Intervals     // MultiStream at an arrival interval; otherwise nil
	Capacity               *Capacity      // Server runs that missed a limit: estimate of a rate that passes; otherwise nil
	QPSWithOverhead        float64        // SingleStream
	QPSWithoutOverhead     float64        // SingleStream
	ScheduledSamplesPerSec float64        // Server
	CompletedSamplesPerSec float64        // Server
	SamplesPerSec          float64        // Offline
	// Tokens contains the measurements of a token run; nil in other runs. In a token run, EarlyStopping is that of TPOT or
	// TTFT.
	Tokens *TokenResult
	// InferredTokensPerSec is the rate times TokenLatencyScalingFactor. It is set with InferTokenLatencies in Server and
	// Offline.
	InferredTokensPerSec float64
	// Trials contains the runs of FindPeakPerformance, in order. All other fields describe the run at the highest rate
	// that met the limit, Effective.TargetQPS, or the first run if none met it.
	Trials []Trial

	// Pauses contains the pauses in the performance series. A run with a pause is INVALID.
	Pauses []Pause

	Errors, Warnings []LoggedError
	// Notes contains findings that do not fit in the official logs.
	Notes []Note
	// AccuracySampleCount is the number of responses in the accuracy log.
	AccuracySampleCount uint64
	// Aborted is the reason why the test ended early, or nil. The logs are kept and marked.
	Aborted error
	// LogFiles contains the paths of the written files: summary, detail, accuracy, trace.
	LogFiles []string
}

// EffectiveSettings contains the settings used by the run, after the scenario's rules (effective_* of the detail log).
type EffectiveSettings struct {
	Scenario                Scenario
	Mode                    Mode
	SamplesPerQuery         uint64
	TargetQPS               float64
	TargetLatency           time.Duration // 0 unless Server
	TargetLatencyPercentile float64
	MaxAsyncQueries         uint64
	TargetDuration          time.Duration
	ArrivalInterval         time.Duration // MultiStream in the rounds v0.5 to v1.1; otherwise 0
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
