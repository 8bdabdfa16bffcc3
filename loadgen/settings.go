package loadgen

import (
	"fmt"
	"strings"
	"time"
)

// Scenario says how queries arrive.
type Scenario int

// The scenarios. (The rules' Interactive scenario is Server with other limits.)
const (
	SingleStream Scenario = iota // the next one-sample query follows the completion of the last
	MultiStream                  // the next samples_per_query-sample query follows the completion of the last
	Server                       // one-sample queries arrive as a Poisson process
	Offline                      // one query holds all samples
)

var scenarioNames = [...]string{"SingleStream", "MultiStream", "Server", "Offline"}

// Scenarios lists all scenarios in their official order.
func Scenarios() []Scenario { return []Scenario{SingleStream, MultiStream, Server, Offline} }

func (s Scenario) String() string { return enumName(int(s), scenarioNames[:], "Scenario") }

// ParseScenario reads a scenario's name, in any case.
func ParseScenario(text string) (Scenario, error) {
	i, err := parseEnum(text, scenarioNames[:], "scenario")
	return Scenario(i), err
}

// Mode says what a test does.
type Mode int

// The modes, numbered as in configuration files.
const (
	SubmissionRun       Mode = iota // accuracy, then performance
	AccuracyOnly                    // every sample once, every response logged
	PerformanceOnly                 // a timed run over one loadable set
	FindPeakPerformance             // search for the highest Server target_qps that meets the latency limit
)

var modeNames = [...]string{"SubmissionRun", "AccuracyOnly", "PerformanceOnly", "FindPeakPerformance"}

func (m Mode) String() string { return enumName(int(m), modeNames[:], "Mode") }

// ParseMode reads a mode's name, in any case.
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

// TestSettings are the official LoadGen's settings, field by field. DefaultTestSettings gives LoadGen's own
// defaults; the rules' values per model and scenario come from package mlconf.
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

	// MultiStreamArrivalInterval makes queries arrive at a fixed interval, which is their latency limit too, as in the
	// rounds v0.5 to v1.1; 0: the next query follows the completion of the last. A query that is still under way when
	// the next one is due makes it skip that interval. The expected latency then means nothing.
	MultiStreamArrivalInterval time.Duration
	// MultiStreamCountDropped counts each skipped interval as one query over its limit (v0.5) instead of each query
	// that caused any (v0.7).
	MultiStreamCountDropped bool

	// The parts of the expected latencies below one nanosecond, in [0, 1): configuration files give fractions, and the
	// number of generated queries follows from the whole value.
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

	// NoEarlyStopping leaves early stopping out of results and verdicts, as in the rounds v0.5 to v1.1.
	NoEarlyStopping bool

	// OlderSampleOrder draws samples as LoadGens do that were built with the C++ library of GCC before GCC 11: most of
	// those that published results up to v1.0, and some later. LoadFromAll draws the samples to load of the whole data
	// set, as LoadGens before v6.0 did, and not of as many as are loaded. [SampleOrderOf] tells which a log has.
	OlderSampleOrder, LoadFromAll bool

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

// DefaultTestSettings returns the official LoadGen's defaults, before any configuration file.
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

// LogSettings says where the four log files go and who watches the run.
type LogSettings struct {
	// OutDir is the directory of the log files; it is created if missing. Empty means no log files.
	OutDir string
	// Prefix and Suffix surround the official base names; an empty Prefix means "mlperf_log_".
	Prefix, Suffix string
	// PrefixWithDatetime puts the time of the start, as the detail log's test_datetime writes it, and "_" after Prefix.
	PrefixWithDatetime bool
	// EnableTrace writes the trace log too (large); without it the file is empty, as the official one's is.
	EnableTrace bool
	// CopySummaryTo, if not nil, receives the summary text too, and CopyDetailTo the detail log, as far as it is on disk.
	// They may be set without OutDir.
	CopySummaryTo, CopyDetailTo interface{ Write(p []byte) (int, error) }
	// Progress, if not nil, is filled while the test runs; any goroutine may take snapshots.
	Progress *Progress
	// Record, if not nil, is called once with what was measured of the performance series that the result is of, also of a
	// test that ended early, and with OutDir: after the last answer, before the logs end. Its error is one of the logs.
	Record func(r Recording, dir string) error
	// Audit names where audit settings, which the TestSettings hold already, came from: the logs say that it was used.
	// Empty means none. (Settings.Audit of package mlconf applies them.)
	Audit string
	// ConfigErrors are logged as errors of the configuration (error_invalid_config), made before the test began.
	ConfigErrors []string
	// AbortEarly ends a run as soon as it can only end INVALID: Result.Aborted then wraps ErrHopeless. Without it
	// Progress and Result.Notes tell.
	AbortEarly bool
	// Spin makes Server pacing spin the last microseconds before a due time. It costs a core.
	Spin bool
}
