// Package bench is the harness as a library. It plans, executes, scores and judges the runs of a benchmark, and writes
// the same files as the command harness run.
//
//	doc, err := bench.Run(ctx, bench.Request{
//		Plugins: bench.Plugins{Dirs: []string{"bin/plugins"}},
//		Model:   bench.Model{Name: "resnet50"},
//		Output:  bench.Output{Dir: "out"},
//	})
//
// Run does everything. NewPlan starts nothing and returns each run with its settings. Score scores the logs of a run
// again. Tune searches for the fastest setting. docs/library.md describes their use.
//
// Package plan contains requests and plans; this package re-exports its names. Package record contains the records of
// runs.
package bench

import (
	"context"
	"errors"

	"github.com/plumbline-ml/plumbline/bench/internal/form"
	"github.com/plumbline-ml/plumbline/bench/internal/run"
	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/closedloop"
	"github.com/plumbline-ml/plumbline/internal/record/output"
)

// What is asked for, and what a plan is made of.
//
//nolint:revive // package plan says what each is
type (
	Request    = plan.Request
	Plugins    = plan.Plugins
	Model      = plan.Model
	Data       = plan.Data
	Load       = plan.Load
	Rules      = plan.Rules
	Power      = plan.Power
	Output     = plan.Output
	Flag       = plan.Flag
	FlagGroup  = plan.FlagGroup
	Files      = plan.Files
	Test       = plan.Test
	Watch      = plan.Watch
	Secrets    = plan.Secrets
	PlannedRun = plan.Run
	Wanted     = plan.Wanted
	Stated     = plan.Stated
	Tuning     = plan.Tuning
	Earlier    = run.Earlier
)

// The words of a request, explained in package plan.
const (
	ModePerformance    = plan.ModePerformance
	ModeAccuracy       = plan.ModeAccuracy
	ModeSubmission     = plan.ModeSubmission
	ModeFindPeak       = plan.ModeFindPeak
	ModeRanging        = plan.ModeRanging
	PaceDefault        = plan.PaceDefault
	PacePrecise        = plan.PacePrecise
	LoadGenOwn         = plan.LoadGenOwn
	LoadGenOfficial    = plan.LoadGenOfficial
	NoTuning           = plan.NoTuning
	UsualAnswerTimeout = plan.UsualAnswerTimeout
	ReplayTime         = plan.ReplayTime
	SettingFlags       = plan.SettingFlags
	WorkloadFlags      = plan.WorkloadFlags
	RunFlags           = plan.RunFlags
	OutputFlags        = plan.OutputFlags
	GoalFlags          = plan.GoalFlags
	PluginFlags        = plan.PluginFlags
)

// Plan contains the planned runs and executes them.
type Plan struct {
	*plan.Plan
	running plugin.Running
}

// NewPlan finds the plugin that serves the request's model and makes the plan. Nothing but the plugins is started, and
// nothing is written. All faults of the request are reported at once.
func NewPlan(ctx context.Context, r Request) (*Plan, error) {
	p, err := plan.New(ctx, r)
	if err != nil {
		return nil, err
	}
	return &Plan{Plan: p}, nil
}

// Run finds the plugin of a request, makes its runs one after the other, judges them, and writes the files of harness
// run into the folder Output.Dir. The document contains each run's figures and verdict; INVALID is not an error.
//
// An error is a fault of the request, with all its faults, or what kept a run from its natural end: a plugin that
// fails, a folder that cannot be written, the cause of ctx. The run that failed and those after it are in the document
// too. Where none was begun, the document is empty.
func Run(ctx context.Context, r Request) (record.Document, error) {
	p, err := NewPlan(ctx, r)
	if err != nil {
		return record.Document{}, err
	}
	return p.Run(ctx)
}

// Run makes the runs of the plan, as the function Run does. It sets Out to the folder of the results, and to nothing
// where that folder is lost in the end. The end of ctx ends the run that is under way in order: what was measured is
// kept.
func (p *Plan) Run(ctx context.Context) (record.Document, error) {
	d, err := run.Make(ctx, p.Plan, &p.running)
	return d, errors.Join(err, form.WriteEndpointsFiles(p.Plan, d))
}

// Loop runs a closed loop on the model of the plan in place of LoadGen, and writes nothing but what the plugin prints,
// into the folder Output.Dir, which must be named. The record says what ran, and has no performance. The plan must
// have one performance run, whose scenario decides how the plugin forms batches.
func (p *Plan) Loop(ctx context.Context, l closedloop.Loop) (closedloop.Times, record.Run, error) {
	return run.Loop(ctx, p.Plan, &p.running, l)
}

// Kill ends the plugin that runs at once, if there is one. Any goroutine may call it.
func (p *Plan) Kill() { p.running.Kill() }

// ChooseOut sets Out to the folder that Run would write to. An error says that it holds results of the same runs, and
// that the request does not say to replace them.
func (p *Plan) ChooseOut() (err error) {
	p.Out, err = output.Choose(p.Request.Output.Dir, p.Request.Output.Force, p.Dirs())
	return err
}

// Earlier looks for the runs of the plan in the folder Output.Dir.
func (p *Plan) Earlier() ([]Earlier, error) { return run.Find(p.Plan) }

// Differs says what of a finished run's record is not as the run of the plan would be, which must have one alone; "" if
// nothing is.
func (p *Plan) Differs(have record.Run) (string, error) { return run.Differs(p.Plan, have) }

// Unmade are the records of the plan's runs as runs that are not made, with the code of an interrupt: what result.json
// says of a run from the moment when somebody has set out to make it. They lack the checksums of the plugin and of the
// data set.
func (p *Plan) Unmade() []record.Run { return run.Unmade(p.Plan) }

// Record puts records into result.json of the output folder out, and of their scenarios, in the place of those of the
// same runs. It is an error if another session writes there.
func Record(out string, runs ...record.Run) error { return run.Record(out, runs...) }

// Settle cleans up the output folder out when all runs are already there: it removes the remains of a killed session,
// its lock and files that were not written to their end, and recovers results that were set aside. note describes the
// recovered results, in lines. Settle does not change a folder without such a lock or with a running session.
func Settle(out string) (note string) { return run.Settle(out) }
