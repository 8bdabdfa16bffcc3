package shell

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/failif"
)

// AddFailIfFlag adds the flag for conditions. examples is part of its help.
func AddFailIfFlag(f *pflag.FlagSet, conditions *[]string, examples string) {
	f.StringArrayVar(conditions, "fail-if", nil, "end with code 3 if `CONDITION` is met: "+examples)
}

// ParseConditions parses all values of --fail-if.
func ParseConditions(texts []string) ([]failif.Condition, error) {
	var conditions []failif.Condition
	var faults []error
	for _, text := range texts {
		c, err := failif.Parse(text)
		if err != nil {
			err = fmt.Errorf("--fail-if: %w", err)
		}
		conditions, faults = append(conditions, c), append(faults, err)
	}
	return conditions, sdk.Usage(errors.Join(faults...))
}

// CheckConditions requires, before the measurement, that at least one planned subject can meet each condition. It
// rejects conditions on changes unless runs are compared.
func CheckConditions(conditions []failif.Condition, planned []failif.Subject, compared bool) error {
	var faults []error
	for _, c := range conditions {
		err := c.Check(planned)
		if err == nil && c.IsChange() && !compared {
			err = fmt.Errorf("condition %q compares with a base: use harness compare BASE NEW or runs of several "+
				"backends; without a sign the value is absolute", c.Text)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--fail-if: %w", err))
		}
	}
	return sdk.Usage(errors.Join(faults...))
}

// PlanSubjects returns the runs of a plan with the figures that each can have.
func PlanSubjects(p *bench.Plan) []failif.Subject {
	var all []failif.Subject
	for _, r := range p.Runs {
		s := failif.Subject{Name: p.NameOf(r), Model: r.Model, Scenario: r.ScenarioName()}
		switch {
		case r.Mode == loadgen.AccuracyOnly:
			s.Metrics = record.AccuracyMetrics(slices.Concat(p.Served.Model.Metrics,
				[]sdk.MetricInfo{{Name: sdk.Agreement, Unit: "%"}}))
		case r.Users > 0:
			s.Metrics = record.ServingMetricNames(nil)
		default:
			s.Metrics = record.MetricNames(r.Scenario)
		}
		if r.Mode == loadgen.FindPeakPerformance {
			s.Metrics = append(s.Metrics, metric.TargetQPS.Of(0))
		}
		if p.Power == nil && p.Request.Power.Logs == "" {
			s.WithholdMetrics("--power METER", metric.IsPower)
		}
		all = append(all, s)
	}
	return all
}

// JudgeConditions prints the conditions that are met, and returns a bad outcome if there are any.
func (a *App) JudgeConditions(conditions []failif.Condition, subjects []failif.Subject, quietly bool) error {
	to := a.Stdout
	if quietly { // the output is for programs
		to = a.Stderr
	}
	return a.judgeConditions(to, conditions, subjects)
}

func (a *App) judgeConditions(to io.Writer, conditions []failif.Condition, subjects []failif.Subject) error {
	var faults []error
	failed := false
	for _, c := range conditions {
		met, err := c.Judge(subjects)
		if err != nil {
			faults = append(faults, fmt.Errorf("--fail-if: %w", err))
		}
		lines := make([]string, len(met))
		for i, m := range met {
			lines[i] = m.String()
		}
		if err == nil {
			a.Report.AddCondition(c.Text, lines)
		}
		for _, m := range lines {
			failed = true
			if _, err := fmt.Fprintf(to, "failed: %s\n", m); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(faults...); err != nil {
		return sdk.Usage(err)
	}
	if failed {
		return &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return nil
}
