package loadgen

import (
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// faultName is how faults call the field: the official name without its unit.
func (f Field) faultName() string {
	return strings.TrimSuffix(strings.TrimSuffix(f.Official, "_ns"), "_ms")
}

// checkPositiveField wants a finite value above 0. (The official program takes an infinite gap between queries for a
// time when target_qps is 0, and runs at 1 query per second when it is negative.)
func checkPositiveField(f *faultList, field Field, s *TestSettings) {
	f.requirePositive(field.faultName(), *field.at(s).(*float64))
}

func (f *faultList) requirePositive(name string, v float64) {
	f.requireThat(v > 0 && !math.IsInf(v, 1), "%s = %v, want a finite value above 0", name, v)
}

// expectedLatency is for a latency, with its part below one nanosecond, from which a rate follows.
func expectedLatency(f *faultList, field Field, s *TestSettings) {
	f.requirePositive(field.faultName(), field.fractionalNanos(s))
	v := *field.fraction(s).(*float64)
	f.requireThat(v >= 0 && v < 1,
		"%s_fraction = %v, want a part of a nanosecond: 0 or more and less than 1", field.faultName(), v)
}

func checkFraction(f *faultList, field Field, s *TestSettings) {
	v := *field.at(s).(*float64)
	f.requireThat(v > 0 && v < 1, "%s = %v, want a fraction between 0 and 1, such as 0.99", field.faultName(), v)
}

func checkProbability(f *faultList, field Field, s *TestSettings) {
	v := *field.at(s).(*float64)
	f.requireThat(v >= 0 && v <= 1, "%s = %v, want a fraction from 0 to 1", field.faultName(), v)
}

func knownMode(f *faultList, field Field, s *TestSettings) {
	f.requireThat(s.Mode >= SubmissionRun && s.Mode <= FindPeakPerformance,
		"mode = %v, want one of %s", s.Mode, strings.Join(modeNames[:], ", "))
}

// maxTest bounds durations, so that times of a schedule cannot overflow.
const maxTest = 365 * 24 * time.Hour

// upToLongestTest is for a duration from 0 on; none says what 0 means.
func upToLongestTest(none string) func(*faultList, Field, *TestSettings) {
	return func(f *faultList, field Field, s *TestSettings) {
		d := *field.at(s).(*time.Duration)
		f.requireThat(d >= 0 && d <= maxTest, "%s = %v, want 0%s to %v", field.faultName(), d, none, maxTest)
	}
}

func noLimitOrMore(f *faultList, field Field, s *TestSettings) {
	d := *field.at(s).(*time.Duration)
	f.requireThat(d >= 0, "%s = %v, want 0 (no limit) or more", field.faultName(), d)
}

// samplesOfAQuery is for a number that a query can hold.
func samplesOfAQuery(f *faultList, field Field, s *TestSettings) {
	n := *field.at(s).(*uint64)
	f.requireThat(n >= 1 && n <= schedule.MaxSamples, "%s = %d, want 1 to %d", field.faultName(), n,
		uint64(schedule.MaxSamples))
}

func checkDecimals(f *faultList, field Field, s *TestSettings) {
	n := *field.at(s).(*int)
	f.requireThat(n >= 0 && n <= 9, "%s = %d, want 0 to 9", field.faultName(), n)
}

// latencyLimit is Server's. The official settings of token benchmarks have 0: the limits of tokens judge their runs.
func latencyLimit(f *faultList, field Field, s *TestSettings) {
	d := *field.at(s).(*time.Duration)
	f.requireThat(d > 0 || s.UseTokenLatencies && d == 0, "%s = %v, want more than 0", field.faultName(), d)
}

func tokenLimit(f *faultList, field Field, s *TestSettings) {
	d := *field.at(s).(*time.Duration)
	f.requireThat(d > 0, "%s = %v with use_token_latencies, want more than 0", field.faultName(), d)
}

// tokensPerSample is for the number of tokens that each sample is taken to have.
func tokensPerSample(f *faultList, field Field, s *TestSettings) {
	f.requireThat(s.TokenLatencyScalingFactor > 0,
		"%s = 0 with infer_token_latencies: set it to the number of tokens that a sample stands for", field.faultName())
}

// What settings are read only at times.

func atIntervals(s *TestSettings) bool { return s.MultiStreamArrivalInterval > 0 }

func notAtIntervals(s *TestSettings) bool { return s.MultiStreamArrivalInterval == 0 }

func notFindingPeak(s *TestSettings) bool { return s.Mode != FindPeakPerformance }

func notInferring(s *TestSettings) bool { return !s.InferTokenLatencies }

func earlyStopping(s *TestSettings) bool { return !s.NoEarlyStopping }

func todaysOrder(s *TestSettings) bool { return !s.OlderSampleOrder }

func loadsFirst(s *TestSettings) bool { return !s.LoadFromAll }

// noTokenLimits: in other scenarios than Server nothing is judged by the limits of tokens.
func noTokenLimits(s *TestSettings) bool { return !s.UseTokenLatencies || s.Scenario != Server }
