package campaign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/report"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Planned is one run that a submission of a model needs.
type Planned struct {
	Step
	Audit bool          // it is an audit's own run, and judged with it
	There bool          // the output folder holds it, finished
	Takes time.Duration // about so long, by LoadGen's settings
	Sure  bool          // Takes is not only the least: the settings say what rate to expect
}

// Submission lists what a submission of a model needs, in the order in which it is made: performance and accuracy of
// each scenario, then its audits.
type Submission struct {
	Model Model
	Rules *mlconf.Rules
	Tests []string // the audits of each scenario that can be run here
	// Left are audits that the rules ask for and that are not run here, and why.
	Left []string
}

// NewSubmission says what the rules ask for a model on a type of system; of an empty type all scenarios that the model
// runs. The scenarios of the request, where it names any, stay as they are.
func (c *Campaign) NewSubmission(ctx context.Context, system mlconf.SystemType) (Submission, error) {
	m, err := c.Model(ctx)
	if err != nil {
		return Submission{}, err
	}
	rules, err := mlconf.Round(c.Request.Rules)
	if err != nil {
		return Submission{}, err
	}
	s := Submission{Model: m, Rules: rules}
	if system != "" && len(c.Request.Scenarios) == 0 {
		if err := s.require(system); err != nil {
			return s, err
		}
	}
	s.Tests, s.Left = Runnable(rules, m.RulesKey, rules.Audits(m.RulesKey))
	return s, nil
}

// Runnable are the tests whose runs are made here; of the others it says why not.
func Runnable(rules *mlconf.Rules, rulesKey string, tests []string) (runnable, left []string) {
	for _, test := range tests {
		if _, err := Steps(rules, rulesKey, "Offline", test); err != nil {
			left = append(left, err.Error())
			continue
		}
		runnable = append(runnable, test)
	}
	return runnable, left
}

// require keeps the scenarios that a system of the type must have, all of which the plugin must run.
func (s *Submission) require(system mlconf.SystemType) error {
	required := s.Rules.RequiredScenarios(s.Model.RulesKey, system)
	if len(required) == 0 {
		return fmt.Errorf("rules %s have no %s for systems of type %s; choose another --system-type, or name the scenarios "+
			"with --scenario", s.Rules.Name, s.Model.RulesKey, system)
	}
	var in []string
	for _, scenario := range s.Model.Scenarios {
		if slices.Contains(required, scenario) {
			in = append(in, scenario)
		}
	}
	for _, scenario := range required {
		if !slices.Contains(in, scenario) {
			return fmt.Errorf("rules %s ask for %s of %s on systems of type %s, which the plugin does not run",
				s.Rules.Name, scenario, s.Model.RulesKey, system)
		}
	}
	s.Model.Scenarios = in
	return nil
}

// steps are the runs of a scenario, each once.
func (s Submission) steps(scenario string) ([]Planned, error) {
	all := []Planned{
		{Step: Step{Scenario: scenario, Mode: bench.ModePerformance}},
		{Step: Step{Scenario: scenario, Mode: bench.ModeAccuracy}},
	}
	for _, test := range s.Tests {
		steps, err := Steps(s.Rules, s.Model.RulesKey, scenario, test)
		if err != nil {
			return nil, err
		}
		all = append(all, Planned{Step: steps[len(steps)-1], Audit: true})
	}
	return all, nil
}

// Plan says of each run whether it is there, and how long it takes. Nothing is run.
func (c *Campaign) Plan(ctx context.Context, s Submission) ([]Planned, error) {
	var all []Planned
	for _, scenario := range s.Model.Scenarios {
		steps, err := s.steps(scenario)
		if err != nil {
			return nil, err
		}
		for _, step := range steps {
			p, err := bench.NewPlan(ctx, c.request(step.Step))
			if err != nil {
				return nil, err
			}
			found, err := p.Earlier()
			if err != nil {
				return nil, err
			}
			step.There = step.finished(found[0])
			step.Takes, step.Sure = expected(p.Runs[0], samples(p))
			all = append(all, step)
		}
	}
	return all, nil
}

// Outcome is what became of one run, or one audit, of a submission.
type Outcome struct {
	Step    Step
	Run     *report.Run // of a performance or accuracy run
	Audited *Audited
	Err     error
}

// Submit makes all runs and audits of a model, in order, and tells of each. What fails does not keep the others from
// being made, but for the end of ctx, and for audits of a scenario whose runs failed.
func (c *Campaign) Submit(ctx context.Context, s Submission, done func(Outcome)) {
	for _, scenario := range s.Model.Scenarios {
		good := c.measure(ctx, scenario, done)
		for _, test := range s.Tests {
			if !good || ctx.Err() != nil {
				break
			}
			a, err := c.Audit(ctx, s.Rules, s.Model, scenario, test)
			done(Outcome{Step: Step{Scenario: scenario, Test: bench.Test{Name: test}}, Audited: &a, Err: err})
		}
	}
}

// measure makes performance and accuracy of a scenario. It says whether both came to their ends.
func (c *Campaign) measure(ctx context.Context, scenario string, done func(Outcome)) bool {
	good := true
	for _, mode := range []string{bench.ModePerformance, bench.ModeAccuracy} {
		if ctx.Err() != nil {
			return false
		}
		step := Step{Scenario: scenario, Mode: mode}
		rec, err := c.Make(ctx, step)
		good = good && err == nil
		done(Outcome{Step: step, Run: &rec, Err: err})
	}
	return good
}
