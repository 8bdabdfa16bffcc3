// Package campaign makes the runs that a submission needs, each once, in one output folder: performance and accuracy of
// the scenarios, and their audits, which it judges with package audit.
//
// A run that the folder holds already, finished and of the same options, settings, plugin, model and data set, is not
// made again: after a crash or an interrupt the same request goes on where the last one ended.
//
// In: bench's requests. Out: verdicts on logs (package audit), trees of submissions (package build).
package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/report"
)

// Campaign makes runs of one model in the output folder Request.Out, which must be named.
type Campaign struct {
	Request bench.Request // what the runs have in common; scenarios, mode and test are those of each run
	// Run makes the runs of a plan; nil: Plan.Run.
	Run func(ctx context.Context, p *bench.Plan) (report.Document, error)
	// Kept, where it is not nil, hears of each run that is not made since it is there.
	Kept func(report.Run)

	given map[string]bool // runs that were made or found by this campaign
}

// Step is one run of a campaign.
type Step struct {
	Scenario string // "Offline"
	Mode     string // bench.ModePerformance or bench.ModeAccuracy
	Test     bench.Test
	Dataset  string   // in place of the request's; empty: the same
	Set      []string // settings beside the request's: key=value
	Unjudged bool     // what the run answers counts, and not whether it is VALID
}

// String names the run: "Offline accuracy", "Server TEST04".
func (s Step) String() string {
	return s.Scenario + " " + report.Run{Mode: s.Mode, Test: s.Test.Name}.Kind()
}

// request is that of the step's run alone.
func (c *Campaign) request(s Step) bench.Request {
	r := c.Request
	r.Scenarios, r.Mode, r.Test = []string{s.Scenario}, s.Mode, s.Test
	if s.Dataset != "" {
		r.Dataset = s.Dataset
	}
	r.Set = append(append([]string{}, r.Set...), s.Set...)
	return r
}

// Make makes the step's run, unless it is there, and returns its record. An earlier one that did not come to its end,
// or is not good, is replaced; one that is good and has other options is an error, unless the request has Force.
func (c *Campaign) Make(ctx context.Context, s Step) (report.Run, error) {
	r := c.request(s)
	p, err := bench.NewPlan(ctx, r)
	if err != nil {
		return report.Run{}, err
	}
	found, err := p.Earlier()
	if err != nil {
		return report.Run{}, err
	}
	e := s.settle(found[0])
	if err := c.replaceable(s, e); err != nil {
		return report.Run{}, err
	}
	if e.Finished() && (!r.Force || c.given[e.Run.Dir]) {
		c.keep(*e.Run)
		return *e.Run, nil
	}
	if e.Run != nil {
		r.Force = true
		if p, err = bench.NewPlan(ctx, r); err != nil {
			return report.Run{}, err
		}
	}
	return c.run(ctx, p)
}

// settle leaves out what does not matter of a run that is there.
func (s Step) settle(e bench.Earlier) bench.Earlier {
	if s.Unjudged {
		e.Bad = ""
	}
	return e
}

// finished says whether what is there needs not be made again.
func (s Step) finished(e bench.Earlier) bool { return s.settle(e).Finished() }

// keep tells of a run that is there, once.
func (c *Campaign) keep(rec report.Run) {
	if !c.given[rec.Dir] && c.Kept != nil {
		c.Kept(rec)
	}
	c.give(rec)
}

func (c *Campaign) give(rec report.Run) {
	if c.given == nil {
		c.given = map[string]bool{}
	}
	c.given[rec.Dir] = true
}

func (c *Campaign) run(ctx context.Context, p *bench.Plan) (report.Run, error) {
	run := c.Run
	if run == nil {
		run = func(ctx context.Context, p *bench.Plan) (report.Document, error) { return p.Run(ctx) }
	}
	d, err := run(ctx, p)
	if len(d.Runs) == 0 {
		return report.Run{}, errors.Join(err, errNothing)
	}
	c.give(d.Runs[0])
	return d.Runs[0], err
}

var errNothing = errors.New("no run was made")

// replaceable refuses to replace a good run that has other options.
func (c *Campaign) replaceable(s Step, e bench.Earlier) error {
	if e.Run == nil || e.Unfinished+e.Bad != "" || e.Differs == "" || c.Request.Force {
		return nil
	}
	return exitcode.Mark(exitcode.Usage, fmt.Errorf("%w: %s holds a finished run %v, and %s; give what it was run with, "+
		"another --out, or replace it with --force", ErrOther, c.Request.Out, s, e.Differs))
}

// ErrOther says that the output folder holds a finished run that is not the one that was asked for.
var ErrOther = errors.New("another run")

// folder is that of a scenario of a model in the output folder.
func (c *Campaign) folder(model, scenario string) string {
	return filepath.Join(c.Request.Out, model, scenario)
}
