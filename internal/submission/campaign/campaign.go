// Package campaign makes each run that a submission needs once, in one output folder. These are the performance and
// accuracy runs of the scenarios, and their audits, which package audit judges.
//
// A finished run in the folder with the same options, settings, plugin, model and data set is not repeated. After a
// crash or an interrupt, the same request therefore resumes. Planned runs are recorded in result.json before the first
// one starts, so the record lists the missing runs whenever a campaign ends.
//
// In scope: bench's requests. Out of scope: verdicts on logs (package audit), trees of submissions (package assemble).
package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
)

// Campaign makes runs of one model in the output folder Output.Dir, which must be named.
type Campaign struct {
	Request bench.Request // common settings of the runs; each run sets its scenario, mode and test
	// Run runs a plan; nil: Plan.Run.
	Run func(ctx context.Context, p *bench.Plan) (record.Document, error)
	// OnKept, if not nil, is called with each run that is kept instead of repeated.
	OnKept func(record.Run)

	model        string                // name of the model in records, set when a run is planned
	foundRuns    map[runKey]foundRun   // state in the output folder of the runs that are still to be made
	completeRuns map[runKey]record.Run // complete runs, made or found by this campaign
}

// foundRun is the state of a run in the output folder.
type foundRun struct {
	plan    *bench.Plan // plan of that run only
	earlier bench.Earlier
}

// runKey identifies a run of a campaign.
type runKey struct{ scenario, mode, test string }

func (s Step) runKey() runKey { return runKey{s.Scenario, s.Mode, s.Test.Name} }

// Step is one run of a campaign.
type Step struct {
	Scenario string // such as "Offline"
	Mode     string // bench.ModePerformance or bench.ModeAccuracy
	Test     bench.Test
	Dataset  string   // replaces the request's; empty: the request's
	Settings []string // settings in addition to the request's: key=value
	Unjudged bool     // only the answers of the run count, even if it is INVALID

	config audit.Config // for a test's own run: the configuration that judges it
}

// String returns the run's name, such as "Offline accuracy" or "Server TEST04".
func (s Step) String() string {
	return s.Scenario + " " + record.Run{Mode: s.Mode, Test: s.Test.Name}.Kind()
}

// stepRequest returns the request for the step's run only.
func (c *Campaign) stepRequest(s Step) bench.Request {
	r := c.Request
	r.Rules.Test = s.Test
	switch {
	case s.Mode != record.ModeServing:
		r.Load.Scenarios, r.Load.Mode = []string{s.Scenario}, s.Mode
	case r.Load.Concurrency == 0 && r.Load.Requests == 0 &&
		r.Load.Duration == 0: // the timed run of a replay model
		r.Load.Scenarios, r.Load.Mode = []string{s.Scenario}, bench.ModePerformance
	} // a closed loop of users replaces LoadGen's scenarios and is the only run of its request
	if s.Dataset != "" {
		r.Data.Path = s.Dataset
	}
	r.Rules.Set = append(append([]string{}, r.Rules.Set...), s.Settings...)
	return r
}

// MakeRun makes the step's run unless it exists, and returns its record. It replaces an earlier run that is unfinished
// or not good. A good run with other options is an error, unless the request sets Force. Within a campaign, Make does
// not repeat an INVALID run for each audit that compares with it.
func (c *Campaign) MakeRun(ctx context.Context, s Step) (record.Run, error) {
	if rec, made := c.completeRuns[s.runKey()]; made {
		return rec, nil
	}
	f, err := c.findRun(ctx, s)
	if err != nil {
		return record.Run{}, err
	}
	delete(c.foundRuns, s.runKey())
	if err := c.checkReplaceable(s, f.earlier); err != nil {
		return record.Run{}, err
	}
	if f.earlier.Finished() && !c.Request.Output.Force {
		c.reportKept(s, *f.earlier.Run)
		return *f.earlier.Run, nil
	}
	if f.earlier.Run != nil {
		r := c.stepRequest(s)
		r.Output.Force = true
		if f.plan, err = bench.NewPlan(ctx, r); err != nil {
			return record.Run{}, err
		}
	}
	return c.runStep(ctx, s, f.plan)
}

// findRun plans a step's run and reads its state from the output folder, once per run.
func (c *Campaign) findRun(ctx context.Context, s Step) (f foundRun, err error) {
	if f, seen := c.foundRuns[s.runKey()]; seen {
		return f, nil
	}
	if f.plan, err = bench.NewPlan(ctx, c.stepRequest(s)); err != nil {
		return f, err
	}
	c.model = f.plan.Served.Model.Name
	all, err := f.plan.Earlier()
	if err != nil {
		return f, err
	}
	f.earlier = s.dropIrrelevant(all[len(all)-1]) // the ranging run of a power meter precedes it
	if c.foundRuns == nil {
		c.foundRuns = map[runKey]foundRun{}
	}
	c.foundRuns[s.runKey()] = f
	return f, nil
}

// dropIrrelevant removes findings about an earlier run that do not matter for the step.
func (s Step) dropIrrelevant(e bench.Earlier) bench.Earlier {
	if s.Unjudged {
		e.Bad = ""
	}
	return e
}

// reportKept reports a kept run. Because no new run opens its folder, it also cleans up what a killed process left
// there.
func (c *Campaign) reportKept(s Step, rec record.Run) {
	if note := bench.Settle(c.Request.Output.Dir); note != "" {
		c.Request.Output.Watch.Complete().Note(note)
	}
	if c.OnKept != nil {
		c.OnKept(rec)
	}
	c.keepRecord(s, rec)
}

func (c *Campaign) keepRecord(s Step, rec record.Run) {
	if c.completeRuns == nil {
		c.completeRuns = map[runKey]record.Run{}
	}
	c.completeRuns[s.runKey()] = rec
}

func (c *Campaign) runStep(ctx context.Context, s Step, p *bench.Plan) (record.Run, error) {
	run := c.Run
	if run == nil {
		run = func(ctx context.Context, p *bench.Plan) (record.Document, error) { return p.Run(ctx) }
	}
	p.Request.Output.Listed = true
	d, err := run(ctx, p)
	if len(d.Runs) == 0 {
		return record.Run{}, errors.Join(err, errNoRun)
	}
	rec := d.Runs[len(d.Runs)-1]
	if rec.Status == record.Complete {
		c.keepRecord(s, rec)
	}
	return rec, err
}

var errNoRun = errors.New("no run was made")

// checkReplaceable returns an error for an existing good run with other options.
func (c *Campaign) checkReplaceable(s Step, e bench.Earlier) error {
	if e.Run == nil || e.Unfinished+e.Bad != "" || e.Differs == "" || c.Request.Output.Force {
		return nil
	}
	return exitcode.Mark(exitcode.Usage, fmt.Errorf("%w: %s holds a finished run %v, and %s; give what it was run with, "+
		"another --out, or replace it with --force", ErrOtherRun, c.Request.Output.Dir, s, e.Differs))
}

// ErrOtherRun reports that the output folder contains a finished run other than the requested one.
var ErrOtherRun = errors.New("another run")

// scenarioFolder returns the folder of a model's scenario in the output folder.
func (c *Campaign) scenarioFolder(model, scenario string) string {
	return filepath.Join(c.Request.Output.Dir, model, scenario)
}
