package campaign

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// PlannedRun is one run that a model's submission requires.
type PlannedRun struct {
	Step
	IsAudit    bool          // an audit's own run, which is judged with the audit
	Exists     bool          // the output folder contains the finished run
	Duration   time.Duration // expected duration, from LoadGen's settings
	IsEstimate bool          // Takes is an estimate and not only a minimum, because the settings contain an expected rate
}

// Submission lists the runs that a model's submission requires, in the order of execution: performance and accuracy of
// each scenario, then its audits.
type Submission struct {
	Model Model
	Rules *mlconf.Rules
	Tests []string // audits of each scenario that this project can run
	// LeftOut contains the scenarios and audits that are not run, with reasons.
	LeftOut []string
}

// NewSubmission returns the runs that the rules require for the request's model, in the scenarios that the request
// selects. The open division requires no audits.
func (c *Campaign) NewSubmission(ctx context.Context) (Submission, error) {
	m, err := c.FindModel(ctx)
	if err != nil {
		return Submission{}, err
	}
	rules, err := mlconf.Round(c.Request.Rules.Round)
	if err != nil {
		return Submission{}, err
	}
	s := Submission{Model: m, Rules: rules, LeftOut: m.LeftOut}
	if c.Request.Rules.Division != tree.DivisionOpen {
		var left []string
		s.Tests, left = Runnable(rules, m.RulesKey, joinRuns(rules.Audits(m.RulesKey)))
		s.LeftOut = append(s.LeftOut, left...)
	}
	return s, nil
}

// Runnable returns the tests that this project runs. left contains the others with reasons.
func Runnable(rules *mlconf.Rules, rulesKey string, tests []string) (runnable, left []string) {
	for _, test := range tests {
		if _, err := AuditSteps(rules, Model{RulesKey: rulesKey}, "Offline", test); err != nil {
			left = append(left, err.Error())
			continue
		}
		runnable = append(runnable, test)
	}
	return runnable, left
}

// scenarioRuns returns the runs of a scenario, each once.
func (s Submission) scenarioRuns(scenario string) ([]PlannedRun, error) {
	all := []PlannedRun{
		{Step: Step{Scenario: scenario, Mode: bench.ModePerformance}},
		{Step: Step{Scenario: scenario, Mode: bench.ModeAccuracy}},
	}
	for _, test := range s.Tests {
		steps, err := AuditSteps(s.Rules, s.Model, scenario, test)
		if err != nil {
			return nil, err
		}
		all = append(all, PlannedRun{Step: steps[len(steps)-1], IsAudit: true})
	}
	return all, nil
}

// Plan returns for each run whether it exists and how long it takes. It runs nothing.
func (c *Campaign) PlanRuns(ctx context.Context, s Submission) ([]PlannedRun, error) {
	var all []PlannedRun
	for _, scenario := range s.Model.Scenarios {
		steps, err := s.scenarioRuns(scenario)
		if err != nil {
			return nil, err
		}
		for _, step := range steps {
			p, err := bench.NewPlan(ctx, c.stepRequest(step.Step))
			if err != nil {
				return nil, err
			}
			found, err := p.Earlier()
			if err != nil {
				return nil, err
			}
			last := len(found) - 1
			step.Exists = step.dropIrrelevant(found[last]).Finished()
			step.Duration, step.IsEstimate = expectedTime(p.Runs[last], datasetSize(p, p.Runs[last]))
			all = append(all, step)
		}
	}
	return all, nil
}

// Outcome is the result of one run or one audit of a submission.
type Outcome struct {
	Step    Step
	Run     *record.Run // nil for audits
	Audited *AuditResult
	Err     error
}

// ModelPart is one model's part of a submission.
type ModelPart struct {
	*Campaign
	Submission
}

// Submit makes all runs and audits of several models in order, and passes each result to done. A failure does not stop
// the other work, except that a scenario's audits are skipped if its runs failed. Submit returns an error if it could
// not begin, or if ctx ended before all work was complete.
func Submit(ctx context.Context, parts []ModelPart, done func(ModelPart, Outcome)) error {
	var pieces []workPiece
	for _, p := range parts {
		for _, scenario := range p.Submission.Model.Scenarios {
			made, err := p.scenarioPieces(scenario, func(o Outcome) { done(p, o) })
			if err != nil {
				return err
			}
			pieces = append(pieces, made...)
		}
	}
	return executePieces(ctx, pieces)
}

// scenarioPieces returns the pieces of work for the performance run, the accuracy run and the audits of a scenario.
func (p ModelPart) scenarioPieces(scenario string, done func(Outcome)) ([]workPiece, error) {
	var all []workPiece
	failed := exitcode.Valid
	for _, mode := range []string{bench.ModePerformance, bench.ModeAccuracy} {
		step := Step{Scenario: scenario, Mode: mode}
		all = append(all, workPiece{p.Campaign, []Step{step}, func(ctx context.Context) exitcode.Code {
			rec, err := p.MakeRun(ctx, step)
			failed = exitcode.Worst(failed, exitcode.Of(err))
			done(Outcome{Step: step, Run: &rec, Err: err})
			return exitcode.Worst(exitcode.Code(rec.ExitCode), exitcode.Of(err))
		}})
	}
	for _, test := range p.Tests {
		audit, err := p.planAudit(p.Rules, p.Submission.Model, scenario, test, func(a AuditResult, err error) {
			done(Outcome{Step: Step{Scenario: scenario, Test: bench.Test{Name: test}}, Audited: &a, Err: err})
		})
		if err != nil {
			return nil, err
		}
		judge := audit.execute
		audit.execute = func(ctx context.Context) exitcode.Code {
			if failed != exitcode.Valid {
				return failed
			}
			return judge(ctx)
		}
		all = append(all, audit)
	}
	return all, nil
}
