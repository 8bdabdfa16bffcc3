package loadgentest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// SuiteOptions adapts the suite to a SUT. Zero values mean the defaults.
type SuiteOptions struct {
	Scenarios []loadgen.Scenario // default: all
	// ServerQPS is a rate that the SUT keeps up with. Default: 100.
	ServerQPS float64
	// Tokens selects token runs, which check first tokens and the answers' numbers of tokens.
	Tokens bool
	// Queries is the number of queries of a performance run, or in Offline the number of samples. Default: 20.
	Queries uint64
	// Timeout ends a run that hangs. Default: one minute.
	Timeout time.Duration
}

func (o *SuiteOptions) setDefaults() {
	if len(o.Scenarios) == 0 {
		o.Scenarios = loadgen.Scenarios()
	}
	o.ServerQPS = cmp.Or(o.ServerQPS, 100)
	o.Queries = cmp.Or(o.Queries, 20)
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
}

// RunSuite checks the contracts of a SUT and a QSL with short SubmissionRuns in every scenario: all samples for
// accuracy, then some for performance. It checks that each sample is answered once and no other is answered, that the
// SUT keeps no reference to a query, that counts are correct, and that the end of the context ends the run.
func RunSuite(t *testing.T, sut loadgen.SUT, qsl loadgen.QSL, o SuiteOptions) {
	o.setDefaults()
	for _, scenario := range o.Scenarios {
		t.Run(scenario.String(), func(t *testing.T) {
			if err := o.runScenario(t.Context(), sut, qsl, scenario); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		if err := o.checkInterrupt(t.Context(), sut, qsl); err != nil {
			t.Error(err)
		}
	})
}

func (o *SuiteOptions) settings(scenario loadgen.Scenario) loadgen.TestSettings {
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.Mode = scenario, loadgen.SubmissionRun
	s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = 0, o.Queries, o.ServerQPS
	s.UseTokenLatencies = o.Tokens
	return s
}

// runScenario performs one run and returns its faults.
func (o *SuiteOptions) runScenario(
	ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, scenario loadgen.Scenario,
) error {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	checkedSUT, checkedQSL := CheckSUT(sut), CheckQSL(qsl)
	_, err := loadgen.StartTest(ctx, checkedSUT, checkedQSL, o.settings(scenario), loadgen.LogSettings{})
	errs := []error{err, checkedSUT.Err(), checkedQSL.Err()}
	if n := checkedSUT.Unanswered(); n > 0 {
		errs = append(errs, fmt.Errorf("%d samples were not answered within %v", n, o.Timeout))
	}
	return errors.Join(errs...)
}

// checkInterrupt cancels a run during its first query. It checks that the run ends in time and that the SUT still works
// afterwards.
func (o *SuiteOptions) checkInterrupt(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL) error {
	ended, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	_, err := loadgen.StartTest(ended, &cancellingSUT{SUT: sut, cancel: cancel}, qsl, o.settings(o.Scenarios[0]),
		loadgen.LogSettings{})
	if !errors.Is(err, loadgen.ErrInterrupted) {
		return fmt.Errorf("after its context had ended the run returned %w, want loadgen.ErrInterrupted", err)
	}
	if took := time.Since(began); took > o.Timeout {
		return fmt.Errorf("the run went on for %v after its context had ended", took)
	}
	return o.runScenario(ctx, sut, qsl, o.Scenarios[0])
}

// cancellingSUT is a SUT that cancels the test's context at the first query.
type cancellingSUT struct {
	loadgen.SUT
	cancel context.CancelFunc
}

func (c *cancellingSUT) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	c.cancel()
	return c.SUT.IssueQuery(ctx, q, r)
}
