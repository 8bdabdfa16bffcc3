package official

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// checkTest returns an error if StartTest of package loadgen would refuse the test, if the official LoadGen lacks a
// setting, or if a setting would make it read out of range.
//
//nolint:unparam // the settings are for the build with the official LoadGen
func checkTest(sut loadgen.SUT, qsl loadgen.QSL, s loadgen.TestSettings, l loadgen.LogSettings) (
	loadgen.EffectiveSettings, error) {
	if sut != nil && qsl != nil {
		if err := errors.Join(errUnsupported(s, l), checkFits(s, qsl.TotalSampleCount())); err != nil {
			return loadgen.EffectiveSettings{}, err
		}
	}
	return loadgen.CheckTest(sut, qsl, s)
}

// errUnsupported returns an error that lists the settings that the current official LoadGen lacks.
func errUnsupported(s loadgen.TestSettings, l loadgen.LogSettings) error {
	fault := func(text string) error { return fmt.Errorf("%w: %s", loadgen.ErrBadSettings, text) }
	var faults []error
	if s.NoEarlyStopping || s.MultiStreamArrivalInterval > 0 {
		faults = append(faults, fault("the official LoadGen has the rules of v2.0 and later only: early stopping cannot be "+
			"left out, and MultiStream has no arrival interval"))
	}
	if s.OlderSampleOrder || s.LoadFromAll {
		faults = append(faults, fault("the official LoadGen's order of samples is that of its version and its compiler: "+
			"leave older_sample_order and load_from_all out"))
	}
	if s.PerformanceIssueSame && s.IssueSameLoaded {
		faults = append(faults, fault("the official LoadGen issues min_query_count queries with performance_issue_same, and "+
			"not as many samples as are loaded: leave issue_same_loaded out"))
	}
	if l.OutDir == "" {
		faults = append(faults, fault("the official LoadGen writes its logs always: name a folder for them"))
	}
	if l.PrefixWithDatetime || len(l.ConfigErrors) > 0 || l.AbortEarly || l.Spin {
		faults = append(faults, fault("the official LoadGen is not asked for a date in the names of logs, takes no "+
			"errors of "+
			"configuration, does not end a run early and does not spin: leave these log settings out"))
	}
	return errors.Join(faults...)
}

// checkFits requires the data set to have as many samples as performance_sample_count_override asks for if Offline
// issues each sample once. With fewer samples, the official LoadGen generates no query and still reads the last one.
func checkFits(s loadgen.TestSettings, total int) error {
	if s.Scenario != loadgen.Offline || !s.PerformanceIssueUnique || s.PerformanceSampleCountOverride <= uint64(total) {
		return nil
	}
	return fmt.Errorf("%w: performance_sample_count_override = %d with performance_issue_unique, and the data set has %d "+
		"samples: the official LoadGen would read out of range and die; set *.*.performance_sample_count_override = %d in "+
		"user.conf, or use the whole data set", loadgen.ErrBadSettings, s.PerformanceSampleCountOverride, total, total)
}
