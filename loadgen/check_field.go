package loadgen

import (
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// faultName returns the field's name in faults: the official name without its unit.
func (f Field) faultName() string {
	return strings.TrimSuffix(strings.TrimSuffix(f.Official, "_ns"), "_ms")
}

// checkPositiveField requires a finite value above 0. (The official program treats an infinite gap between queries as a
// time if target_qps is 0, and runs at 1 query per second if it is negative.)
func checkPositiveField(f *faultList, field Field, s *TestSettings) {
	f.requirePositive(field.faultName(), *field.valuePointer(s).(*float64))
}

func (f *faultList) requirePositive(name string, v float64) {
	f.requireThat(v > 0 && !math.IsInf(v, 1), "%s = %v, want a finite value above 0", name, v)
}

// checkExpectedLatency checks an expected latency, including its fraction of a nanosecond. A rate is computed from it.
func checkExpectedLatency(f *faultList, field Field, s *TestSettings) {
	f.requirePositive(field.faultName(), field.fractionalNanos(s))
	v := *field.fractionPointer(s).(*float64)
	f.requireThat(v >= 0 && v < 1,
		"%s_fraction = %v, want a part of a nanosecond: 0 or more and less than 1", field.faultName(), v)
}

func checkFraction(f *faultList, field Field, s *TestSettings) {
	v := *field.valuePointer(s).(*float64)
	f.requireThat(v > 0 && v < 1, "%s = %v, want a fraction between 0 and 1, such as 0.99", field.faultName(), v)
}

func checkProbability(f *faultList, field Field, s *TestSettings) {
	v := *field.valuePointer(s).(*float64)
	f.requireThat(v >= 0 && v <= 1, "%s = %v, want a fraction from 0 to 1", field.faultName(), v)
}

func checkMode(f *faultList, field Field, s *TestSettings) {
	f.requireThat(s.Mode >= SubmissionRun && s.Mode <= FindPeakPerformance,
		"mode = %v, want one of %s", s.Mode, strings.Join(modeNames[:], ", "))
}

// maxTest is the maximum duration in settings. It prevents an overflow of a schedule's times.
const maxTest = 365 * 24 * time.Hour

// checkDuration returns a check of a duration from 0 to maxTest. none is the meaning of 0 for the error text.
func checkDuration(none string) func(*faultList, Field, *TestSettings) {
	return func(f *faultList, field Field, s *TestSettings) {
		d := *field.valuePointer(s).(*time.Duration)
		f.requireThat(d >= 0 && d <= maxTest, "%s = %v, want 0%s to %v", field.faultName(), d, none, maxTest)
	}
}

func checkNotNegative(f *faultList, field Field, s *TestSettings) {
	d := *field.valuePointer(s).(*time.Duration)
	f.requireThat(d >= 0, "%s = %v, want 0 (no limit) or more", field.faultName(), d)
}

// checkQuerySize checks a number of samples per query.
func checkQuerySize(f *faultList, field Field, s *TestSettings) {
	n := *field.valuePointer(s).(*uint64)
	f.requireThat(n >= 1 && n <= schedule.MaxSamples, "%s = %d, want 1 to %d", field.faultName(), n,
		uint64(schedule.MaxSamples))
}

func checkDecimals(f *faultList, field Field, s *TestSettings) {
	n := *field.valuePointer(s).(*int)
	f.requireThat(n >= 0 && n <= 9, "%s = %d, want 0 to 9", field.faultName(), n)
}

// checkLatencyLimit checks Server's latency limit. The official settings of token benchmarks set it to 0, because token
// limits replace it.
func checkLatencyLimit(f *faultList, field Field, s *TestSettings) {
	d := *field.valuePointer(s).(*time.Duration)
	f.requireThat(d > 0 || s.UseTokenLatencies && d == 0, "%s = %v, want more than 0", field.faultName(), d)
}

func checkTokenLimit(f *faultList, field Field, s *TestSettings) {
	d := *field.valuePointer(s).(*time.Duration)
	f.requireThat(d > 0, "%s = %v with use_token_latencies, want more than 0", field.faultName(), d)
}

// checkTokensPerSample checks the assumed number of tokens per sample.
func checkTokensPerSample(f *faultList, field Field, s *TestSettings) {
	f.requireThat(s.TokenLatencyScalingFactor > 0,
		"%s = 0 with infer_token_latencies: set it to the number of tokens that a sample stands for", field.faultName())
}

// Conditions under which a run reads a setting.

func hasArrivalInterval(s *TestSettings) bool { return s.MultiStreamArrivalInterval > 0 }

func hasNoArrivalInterval(s *TestSettings) bool { return s.MultiStreamArrivalInterval == 0 }

func isNoPeakSearch(s *TestSettings) bool { return s.Mode != FindPeakPerformance }

func infersNoTokens(s *TestSettings) bool { return !s.InferTokenLatencies }

func hasEarlyStopping(s *TestSettings) bool { return !s.NoEarlyStopping }

func hasCurrentOrder(s *TestSettings) bool { return !s.OlderSampleOrder }

func loadsFirstSamples(s *TestSettings) bool { return !s.LoadFromAll }

func issuesOthers(s *TestSettings) bool { return !s.PerformanceIssueSame || !s.IssueSameLoaded }

// hasNoTokenLimits reports whether token limits have no effect. They affect only Server.
func hasNoTokenLimits(s *TestSettings) bool { return !s.UseTokenLatencies || s.Scenario != Server }
