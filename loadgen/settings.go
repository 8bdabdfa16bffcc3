package loadgen

import (
	"fmt"
	"strings"
	"time"
)

// Scenario determines how queries arrive.
type Scenario int

// The scenarios. (The rules' Interactive scenario is Server with other limits.)
const (
	SingleStream Scenario = iota // a one-sample query follows the completion of the previous one
	MultiStream                  // a query of samples_per_query samples follows the completion of the previous one
	Server                       // one-sample queries arrive as a Poisson process
	Offline                      // one query contains all samples
)

var scenarioNames = [...]string{"SingleStream", "MultiStream", "Server", "Offline"}

// Scenarios lists all scenarios in their official order.
func Scenarios() []Scenario { return []Scenario{SingleStream, MultiStream, Server, Offline} }

func (s Scenario) String() string { return enumName(int(s), scenarioNames[:], "Scenario") }

// ParseScenario parses a scenario's name, in any case.
func ParseScenario(text string) (Scenario, error) {
	i, err := parseEnum(text, scenarioNames[:], "scenario")
	return Scenario(i), err
}

// Mode determines what a test does.
type Mode int

// The modes, numbered like in configuration files.
const (
	SubmissionRun       Mode = iota // accuracy, then performance
	AccuracyOnly                    // every sample once, and every response is logged
	PerformanceOnly                 // a timed run over one loadable set
	FindPeakPerformance             // search for the highest Server target_qps that meets the latency limit
)

var modeNames = [...]string{"SubmissionRun", "AccuracyOnly", "PerformanceOnly", "FindPeakPerformance"}

func (m Mode) String() string { return enumName(int(m), modeNames[:], "Mode") }

// ParseMode parses a mode's name, in any case.
func ParseMode(text string) (Mode, error) {
	i, err := parseEnum(text, modeNames[:], "mode")
	return Mode(i), err
}

func enumName(i int, names []string, kind string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

func parseEnum(text string, names []string, kind string) (int, error) {
	for i, n := range names {
		if strings.EqualFold(n, text) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q, want one of %s", kind, text, strings.Join(names, ", "))
}

// TestSettings contains the official LoadGen's settings, field by field. DefaultTestSettings returns LoadGen's own
// defaults. Package mlconf contains the rules' values per model and scenario.
//
// Percentiles are fractions in (0, 1). Seeds are reduced modulo 2^32, as in the official LoadGen.
type TestSettings struct {
	Scenario Scenario
	Mode     Mode

	SingleStreamExpectedLatency         time.Duration
	SingleStreamTargetLatencyPercentile float64

	MultiStreamExpectedLatency         time.Duration // of a whole query
	MultiStreamTargetLatencyPercentile float64
	MultiStreamSamplesPerQuery         uint64

	// MultiStreamArrivalInterval makes queries arrive at a fixed interval, which is also their latency limit, as in the
	// rounds v0.5 to v1.1. If it is 0, a query follows the completion of the previous one. If a query is still in progress
	// when the next one is due, that interval is skipped. The expected latency has no effect with an interval.
	MultiStreamArrivalInterval time.Duration
	// MultiStreamCountDropped counts each skipped interval as one query over its limit (v0.5). Otherwise each query that
	// caused skipped intervals counts once (v0.7).
	MultiStreamCountDropped bool

	// The fractions of a nanosecond of the expected latencies, in [0, 1). Configuration files may contain fractions, and
	// the number of generated queries depends on the exact value.
	SingleStreamExpectedLatencyFraction float64
	MultiStreamExpectedLatencyFraction  float64

	ServerTargetQPS                      float64
	ServerTargetLatency                  time.Duration
	ServerTargetLatencyPercentile        float64
	ServerCoalesceQueries                bool
	ServerFindPeakQPSDecimalsOfPrecision int
	ServerFindPeakQPSBoundaryStepSize    float64
	ServerMaxAsyncQueries                uint64 // 0: no limit
	ServerNumIssueQueryThreads           uint64

	OfflineExpectedQPS float64

	// NoEarlyStopping removes early stopping from results and verdicts, as in the rounds v0.5 to v1.1.
	NoEarlyStopping bool

	// OlderSampleOrder draws samples like LoadGens built with GCC's C++ library before GCC 11. Most published results up
	// to v1.0, and some later ones, are of such LoadGens. LoadFromAll draws the samples to load from the whole data set,
	// like LoadGens before v6.0. Otherwise they are drawn from as many samples as are loaded. [SampleOrderOf] finds the
	// order of a log.
	OlderSampleOrder, LoadFromAll bool

	// IssueSameLoaded makes PerformanceIssueSame issue as many samples as are loaded, as PerformanceIssueUnique does and
	// LoadGens before v2.1 did. If it is false, counts and durations determine the number.
	IssueSameLoaded bool

	MinDuration   time.Duration // whole milliseconds in configuration files
	MaxDuration   time.Duration // 0: no limit
	MinQueryCount uint64
	MaxQueryCount uint64 // 0: no limit

	QSLRNGSeed         uint64
	SampleIndexRNGSeed uint64
	ScheduleRNGSeed    uint64

	AccuracyLogRNGSeed        uint64
	AccuracyLogProbability    float64 // share of responses logged in performance mode, in [0, 1]
	AccuracyLogSamplingTarget uint64  // expected number of logged responses; overrides the probability if above 0

	Test05                   bool
	Test05QSLRNGSeed         uint64
	Test05SampleIndexRNGSeed uint64
	Test05ScheduleRNGSeed    uint64

	PrintTimestamps           bool
	PerformanceIssueUnique    bool
	PerformanceIssueSame      bool
	PerformanceIssueSameIndex uint64

	PerformanceSampleCountOverride uint64 // 0: the QSL's
	AccuracySampleCountOverride    uint64 // 0: the QSL's total

	SampleConcatenatePermutation bool // equal issue: every loaded sample equally often

	UseTokenLatencies         bool
	ServerTTFTLatency         time.Duration
	ServerTPOTLatency         time.Duration
	InferTokenLatencies       bool
	TokenLatencyScalingFactor uint64
}

// DefaultTestSettings returns the official LoadGen's defaults before any configuration file.
func DefaultTestSettings() TestSettings {
	return TestSettings{
		Scenario:                             SingleStream,
		Mode:                                 PerformanceOnly,
		SingleStreamExpectedLatency:          time.Millisecond,
		SingleStreamTargetLatencyPercentile:  0.90,
		MultiStreamExpectedLatency:           8 * time.Millisecond,
		MultiStreamTargetLatencyPercentile:   0.99,
		MultiStreamSamplesPerQuery:           8,
		ServerTargetQPS:                      1,
		ServerTargetLatency:                  100 * time.Millisecond,
		ServerTargetLatencyPercentile:        0.99,
		ServerFindPeakQPSDecimalsOfPrecision: 1,
		ServerFindPeakQPSBoundaryStepSize:    1,
		OfflineExpectedQPS:                   1,
		MinDuration:                          10 * time.Second,
		MinQueryCount:                        100,
		ServerTTFTLatency:                    100 * time.Millisecond,
		ServerTPOTLatency:                    100 * time.Millisecond,
	}
}

// LogSettings determines the four log files and the watchers of the run.
type LogSettings struct {
	// OutDir is the directory of the log files. It is created if missing. Empty means no log files.
	OutDir string
	// Prefix and Suffix surround the official base names. An empty Prefix means "mlperf_log_".
	Prefix, Suffix string
	// PrefixWithDatetime adds the start time, in the form of the detail log's test_datetime, and "_" after Prefix.
	PrefixWithDatetime bool
	// EnableTrace enables the trace log, which is large. Without it the file is empty, like the official one.
	EnableTrace bool
	// CopySummaryTo, if not nil, also receives the summary text, and CopyDetailTo the detail log up to the last flush.
	// They may be set without OutDir.
	CopySummaryTo, CopyDetailTo interface{ Write(p []byte) (int, error) }
	// Progress, if not nil, is updated while the test runs. Any goroutine may take snapshots.
	Progress *Progress
	// Record, if not nil, is called once with the measurements of the performance series of the result and with OutDir.
	// This also happens if the test ended early. The call comes after the last answer and before the end of the logs. An
	// error of Record is treated like an error of the logs.
	Record func(r Recording, dir string) error
	// Audit is the source of audit settings. TestSettings must already contain the settings. The logs report that they
	// were used. Empty means none. (Audit of package mlconf applies them.)
	Audit string
	// ConfigErrors are logged as errors of the configuration (error_invalid_config) from before the test began.
	ConfigErrors []string
	// AbortEarly ends a run as soon as it can only end INVALID. Result.Aborted then wraps ErrHopeless. Without it, only
	// Progress and Result.Notes report this.
	AbortEarly bool
	// Spin makes Server pacing busy-wait for the last microseconds before a due time. It occupies a core.
	Spin bool
}
