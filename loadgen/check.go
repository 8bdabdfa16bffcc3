package loadgen

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// faultList collects the faults of an input.
type faultList []string

// requireThat adds a fault unless ok.
func (f *faultList) requireThat(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// toError returns nil if there are no faults, or an error that wraps kind and lists them.
func (f faultList) toError(kind error) error {
	switch len(f) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%w: %s", kind, f[0])
	}
	return fmt.Errorf("%w: %d faults:\n  %s", kind, len(f), strings.Join(f, "\n  "))
}

// Check returns the faults of s that do not depend on a SUT or a QSL: faults of each setting, then faults of
// combinations. StartTest refuses settings with such faults. The error wraps ErrBadSettings.
func (s TestSettings) Check() error {
	var f faultList
	k := s.Scenario.kindOf()
	f.requireThat(k != nil, "scenario = %v, want one of %s", s.Scenario, strings.Join(scenarioNames[:], ", "))
	for _, field := range fields {
		if field.check != nil && field.isRead(&s) {
			field.check(&f, field, &s)
		}
	}
	f.checkTogether(s)
	if k != nil {
		k.check(&f, s)
	}
	return f.toError(ErrBadSettings)
}

// checkTogether checks combinations of settings that all scenarios share.
func (f *faultList) checkTogether(s TestSettings) {
	f.requireThat(s.Mode != FindPeakPerformance || s.Scenario == Server,
		"mode = FindPeakPerformance in %v: it searches for the highest server_target_qps and works in Server only",
		s.Scenario)
	f.requireThat(!s.PerformanceIssueUnique || !s.PerformanceIssueSame,
		"performance_issue_unique and performance_issue_same exclude each other: set one of them")
	f.requireThat(!s.NoEarlyStopping || !s.UseTokenLatencies,
		"no_early_stopping with use_token_latencies: no round has token latencies without early stopping")
}

// requireQueries requires settings that produce at least one query. Scenarios that raise the count themselves do not
// call it.
func (f *faultList) requireQueries(s TestSettings) {
	f.requireThat(s.MinQueryCount > 0 || s.MinDuration > 0 || s.Mode == AccuracyOnly || s.issuesLoadedCount(),
		"min_query_count and min_duration are both 0, so that no query would be issued: raise one of them")
}

// checkQSLCounts checks the counts that the library reports.
func checkQSLCounts(q qslCounts) error {
	var f faultList
	f.requireThat(q.total >= 1 && uint64(q.total) <= schedule.MaxSamples,
		"TotalSampleCount() = %d, want 1 to %d", q.total, uint64(schedule.MaxSamples))
	f.requireThat(q.performance >= 1, "PerformanceSampleCount() = %d, want 1 or more", q.performance)
	return f.toError(ErrBadQSL)
}

// checkFit checks the settings against the number of samples. The settings and the counts must be valid separately.
func checkFit(s TestSettings, e EffectiveSettings, q qslCounts) error {
	var f faultList
	smallest := smallestSet(e, q)
	f.requireThat(!s.PerformanceIssueSame || s.PerformanceIssueSameIndex < smallest,
		"performance_issue_same_index = %d, want less than %d, the samples of the smallest loaded set",
		s.PerformanceIssueSameIndex, smallest)
	s.Scenario.kindOf().checkFit(&f, s, e, q)
	f.checkTraffic(s, e, q)
	return f.toError(ErrBadSettings)
}

// smallestSet returns the size, without padding, of the smallest set that the mode loads.
func smallestSet(e EffectiveSettings, q qslCounts) uint64 {
	smallest := min(e.PerformanceSampleCount, uint64(q.total))
	if e.Mode == PerformanceOnly || e.Mode == FindPeakPerformance {
		return smallest
	}
	all := min(e.AccuracySampleCount, uint64(q.total))
	if rest := all % e.PerformanceSampleCount; rest != 0 {
		return min(smallest, rest)
	}
	return smallest
}

// checkTraffic checks that the series can be generated and that there are enough ids for their samples.
func (f *faultList) checkTraffic(s TestSettings, e EffectiveSettings, q qslCounts) {
	if len(*f) > 0 {
		return
	}
	var samples uint64
	if e.Mode != AccuracyOnly {
		samples = f.checkPerformanceSet(s, e, q)
	}
	if e.Mode == AccuracyOnly || e.Mode == SubmissionRun {
		samples += accuracySamples(e, q)
	}
	f.requireThat(samples <= schedule.MaxSamples,
		"the test would issue %d samples, at most %d are possible: lower min_query_count, min_duration or samples_per_query",
		samples, uint64(schedule.MaxSamples))
}

// checkPerformanceSet returns the number of samples that the performance series issues.
func (f *faultList) checkPerformanceSet(s TestSettings, e EffectiveSettings, q qslCounts) uint64 {
	p := seriesParams(s, e, schedule.Set{Size: int(min(e.PerformanceSampleCount, uint64(q.total)))}, false)
	queries, err := schedule.Count(p)
	if err != nil {
		f.requireThat(false, "%s", strings.TrimPrefix(err.Error(), schedule.ErrTooMuch.Error()+": "))
		return 0
	}
	samples := queries * p.SamplesPerQuery
	f.requireThat(samples > 0, "no sample would be issued: raise min_query_count, or min_duration or the expected rate")
	return samples
}

// checkParts reports a missing SUT or QSL.
func checkParts(sut SUT, qsl QSL) error {
	var errs []error
	if sut == nil {
		errs = append(errs, fmt.Errorf("%w: no SUT given", ErrBadSettings))
	}
	if qsl == nil {
		errs = append(errs, fmt.Errorf("%w: no QSL given", ErrBadQSL))
	}
	return errors.Join(errs...)
}
