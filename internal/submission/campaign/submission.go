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

// Planned is one run that a model's submission requires.
type Planned struct {
	Step
	Audit bool          // an audit's own run, which is judged with the audit
	There bool          // the output folder contains the finished run
	Takes time.Duration // expected duration, from LoadGen's settings
	Sure  bool          // Takes is an estimate and not only a minimum, because the settings contain an expected rate
}

// Submission lists the runs that a model's submission requires, in the order of execution: performance and accuracy of
// each scenario, then its audits.
type Submission struct {
	Model Model
	Rules *mlconf.Rules
	Tests []string // audits of each scenario that this project can run
	// Left contains the scenarios and audits that are not run, with reasons.
	Left []string
}

// NewSubmission returns the runs that the rules require for the request's model, in the scenarios that the request
// selects. The open division requires no audits.
func (c *Campaign) NewSubmission(ctx context.Context) (Submission, error) {
	m, err := c.Model(ctx)
	if err != nil {
		return Submission{}, err
	}
	rules, err := mlconf.Round(c.Request.Rules.Round)
	if err != nil {
		return Submission{}, err
	}
	s := Submission{Model: m, Rules: rules, Left: m.Left}
	if c.Request.Rules.Division != tree.DivisionOpen {
		var left []string
		s.Tests, left = Runnable(rules, m.RulesKey, rules.Audits(m.RulesKey))
		s.Left = append(s.Left, left...)
	}
	return s, nil
}

// Runnable returns the tests that this project runs. left contains the others with reasons.
func Runnable(rules *mlconf.Rules, rulesKey string, tests []string) (runnable, left []string) {
	for _, test := range tests {
		if _, err := Steps(rules, Model{RulesKey: rulesKey}, "Offline", test); err != nil {
			left = append(left, err.Error())
			continue
		}
		runnable = append(runnable, test)
	}
	return runnable, left
}

// scenarioRuns returns the runs of a scenario, each once.
func (s Submission) scenarioRuns(scenario string) ([]Planned, error) {
	all := []Planned{
		{Step: Step{Scenario: scenario, Mode: bench.ModePerformance}},
		{Step: Step{Scenario: scenario, Mode: bench.ModeAccuracy}},
	}
	for _, test := range s.Tests {
		steps, err := Steps(s.Rules, s.Model, scenario, test)
		if err != nil {
			return nil, err
		}
		all = append(all, Planned{Step: steps[len(steps)-1], Audit: true})
	}
	return all, nil
}

// Plan returns for each run whether it exists and how long it takes. It runs nothing.
func (c *Campaign) Plan(ctx context.Context, s Submission) ([]Planned, error) {
	var all []Planned
	for _, scenario := range s.Model.Scenarios {
		steps, err := s.scenarioRuns(scenario)
		if err != nil {
			return nil, err
		}
		for _, step := range steps {
			p, err := bench.NewPlan(ctx, c.requestOf(step.Step))
			if err != nil {
				return nil, err
			}
			found, err := p.Earlier()
			if err != nil {
				return nil, err
			}
			last := len(found) - 1
			step.There = step.settleEarlier(found[last]).Finished()
			step.Takes, step.Sure = expectedTime(p.Runs[last], datasetSize(p, p.Runs[last]))
			all = append(all, step)
		}
	}
	return all, nil
}

// Outcome is the result of one run or one audit of a submission.
type Outcome struct {
	Step    Step
	Run     *record.Run // nil for audits
	Audited *Audited
	Err     error
}

// Part is one model's part of a submission.
type Part struct {
	*Campaign
	Submission
}

// Submit makes all runs and audits of several models in order, and passes each result to done. A failure does not stop
// the other work, except that a scenario's audits are skipped if its runs failed. Submit returns an error if it could
// not begin, or if ctx ended before all work was complete.
func Submit(ctx context.Context, parts []Part, done func(Part, Outcome)) error {
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
	return inTurn(ctx, pieces)
}

// scenarioPieces returns the pieces of work for the performance run, the accuracy run and the audits of a scenario.
func (p Part) scenarioPieces(scenario string, done func(Outcome)) ([]workPiece, error) {
	var all []workPiece
	failed := exitcode.Valid
	for _, mode := range []string{bench.ModePerformance, bench.ModeAccuracy} {
		step := Step{Scenario: scenario, Mode: mode}
		all = append(all, workPiece{p.Campaign, []Step{step}, func(ctx context.Context) exitcode.Code {
			rec, err := p.Make(ctx, step)
			failed = exitcode.Worst(failed, exitcode.Of(err))
			done(Outcome{Step: step, Run: &rec, Err: err})
			return exitcode.Worst(exitcode.Code(rec.ExitCode), exitcode.Of(err))
		}})
	}
	for _, test := range p.Tests {
		audit, err := p.planAudit(p.Rules, p.Submission.Model, scenario, test, func(a Audited, err error) {
			done(Outcome{Step: Step{Scenario: scenario, Test: bench.Test{Name: test}}, Audited: &a, Err: err})
		})
		if err != nil {
			return nil, err
		}
		judge := audit.make
		audit.make = func(ctx context.Context) exitcode.Code {
			if failed != exitcode.Valid {
				return failed
			}
			return judge(ctx)
		}
		all = append(all, audit)
	}
	return all, nil
}
