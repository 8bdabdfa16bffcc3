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
	Request bench.Request // what the runs have in common; scenarios, mode and test are those of each run
	// Run makes the runs of a plan; nil: Plan.Run.
	Run func(ctx context.Context, p *bench.Plan) (record.Document, error)
	// Kept, where it is not nil, hears of each run that is not made since it is there.
	Kept func(record.Run)

	model string                // its name in records, once a run was planned
	seen  map[runKey]foundRun   // what the output folder held of runs that are still to be made
	given map[runKey]record.Run // complete runs that were made or found by this campaign
}

// foundRun is what the output folder holds of a run.
type foundRun struct {
	plan    *bench.Plan // of that run alone
	earlier bench.Earlier
}

// runKey tells the runs of a campaign apart.
type runKey struct{ scenario, mode, test string }

func (s Step) keyOf() runKey { return runKey{s.Scenario, s.Mode, s.Test.Name} }

// Step is one run of a campaign.
type Step struct {
	Scenario string // "Offline"
	Mode     string // bench.ModePerformance or bench.ModeAccuracy
	Test     bench.Test
	Dataset  string   // in place of the request's; empty: the same
	Set      []string // settings beside the request's: key=value
	Unjudged bool     // what the run answers counts, and not whether it is VALID

	config audit.Config // of a test's own run: what it is judged by
}

// String names the run: "Offline accuracy", "Server TEST04".
func (s Step) String() string {
	return s.Scenario + " " + record.Run{Mode: s.Mode, Test: s.Test.Name}.Kind()
}

// requestOf is that of the step's run alone.
func (c *Campaign) requestOf(s Step) bench.Request {
	r := c.Request
	r.Rules.Test = s.Test
	switch {
	case s.Mode != record.ModeServing:
		r.Load.Scenarios, r.Load.Mode = []string{s.Scenario}, s.Mode
	case r.Load.Concurrency == 0 && r.Load.Requests == 0 &&
		r.Load.Duration == 0: // the timed run of a model that is a replay
		r.Load.Scenarios, r.Load.Mode = []string{s.Scenario}, bench.ModePerformance
	} // a closed loop of users in place of LoadGen's scenarios is the only run of its request
	if s.Dataset != "" {
		r.Data.Path = s.Dataset
	}
	r.Rules.Set = append(append([]string{}, r.Rules.Set...), s.Set...)
	return r
}

// Make makes the step's run, unless it is there, and returns its record. An earlier one that did not come to its end,
// or is not good, is replaced; one that is good and has other options is an error, unless the request has Force. What
// came out INVALID just now is not made once more for each audit that compares with it.
func (c *Campaign) Make(ctx context.Context, s Step) (record.Run, error) {
	if rec, made := c.given[s.keyOf()]; made {
		return rec, nil
	}
	f, err := c.lookUp(ctx, s)
	if err != nil {
		return record.Run{}, err
	}
	delete(c.seen, s.keyOf())
	if err := c.checkReplaceable(s, f.earlier); err != nil {
		return record.Run{}, err
	}
	if f.earlier.Finished() && !c.Request.Output.Force {
		c.tellKept(s, *f.earlier.Run)
		return *f.earlier.Run, nil
	}
	if f.earlier.Run != nil {
		r := c.requestOf(s)
		r.Output.Force = true
		if f.plan, err = bench.NewPlan(ctx, r); err != nil {
			return record.Run{}, err
		}
	}
	return c.runStep(ctx, s, f.plan)
}

// lookUp plans a step's run and sees what there is of it, once.
func (c *Campaign) lookUp(ctx context.Context, s Step) (f foundRun, err error) {
	if f, seen := c.seen[s.keyOf()]; seen {
		return f, nil
	}
	if f.plan, err = bench.NewPlan(ctx, c.requestOf(s)); err != nil {
		return f, err
	}
	c.model = f.plan.Served.Model.Name
	all, err := f.plan.Earlier()
	if err != nil {
		return f, err
	}
	f.earlier = s.settleEarlier(all[len(all)-1]) // one that sets the ranges of a power meter comes before it
	if c.seen == nil {
		c.seen = map[runKey]foundRun{}
	}
	c.seen[s.keyOf()] = f
	return f, nil
}

// settleEarlier leaves out what does not matter of a run that is there.
func (s Step) settleEarlier(e bench.Earlier) bench.Earlier {
	if s.Unjudged {
		e.Bad = ""
	}
	return e
}

// tellKept tells of a run that is there. No session opens its folder: what a killed one left there is settled here.
func (c *Campaign) tellKept(s Step, rec record.Run) {
	if note := bench.Settle(c.Request.Output.Dir); note != "" {
		c.Request.Output.Watch.Complete().Note(note)
	}
	if c.Kept != nil {
		c.Kept(rec)
	}
	c.giveRecord(s, rec)
}

func (c *Campaign) giveRecord(s Step, rec record.Run) {
	if c.given == nil {
		c.given = map[runKey]record.Run{}
	}
	c.given[s.keyOf()] = rec
}

func (c *Campaign) runStep(ctx context.Context, s Step, p *bench.Plan) (record.Run, error) {
	run := c.Run
	if run == nil {
		run = func(ctx context.Context, p *bench.Plan) (record.Document, error) { return p.Run(ctx) }
	}
	p.Request.Output.Listed = true
	d, err := run(ctx, p)
	if len(d.Runs) == 0 {
		return record.Run{}, errors.Join(err, errNothing)
	}
	rec := d.Runs[len(d.Runs)-1]
	if rec.Status == record.Complete {
		c.giveRecord(s, rec)
	}
	return rec, err
}

var errNothing = errors.New("no run was made")

// checkReplaceable refuses to replace a good run that has other options.
func (c *Campaign) checkReplaceable(s Step, e bench.Earlier) error {
	if e.Run == nil || e.Unfinished+e.Bad != "" || e.Differs == "" || c.Request.Output.Force {
		return nil
	}
	return exitcode.Mark(exitcode.Usage, fmt.Errorf("%w: %s holds a finished run %v, and %s; give what it was run with, "+
		"another --out, or replace it with --force", ErrOther, c.Request.Output.Dir, s, e.Differs))
}

// ErrOther says that the output folder holds a finished run that is not the one that was asked for.
var ErrOther = errors.New("another run")

// scenarioFolder is that of a scenario of a model in the output folder.
func (c *Campaign) scenarioFolder(model, scenario string) string {
	return filepath.Join(c.Request.Output.Dir, model, scenario)
}
