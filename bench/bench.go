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

// The types of requests and plans.
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

// Constants of requests. Package plan documents them.
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

// NewPlan finds the plugin that serves the request's model and makes the plan. It starts no process except plugins and
// writes no files. The error lists all faults of the request.
func NewPlan(ctx context.Context, r Request) (*Plan, error) {
	p, err := plan.New(ctx, r)
	if err != nil {
		return nil, err
	}
	return &Plan{Plan: p}, nil
}

// Run finds the plugin of a request, executes its runs one after another, judges them, and writes the files of harness
// run into the folder Output.Dir. The document contains each run's figures and verdict. INVALID is not an error.
//
// The error lists all faults of the request, or describes what stopped a run early: a plugin failure, an unwritable
// folder or the cause of ctx. The document also contains the failed run and the runs after it. If no run was started,
// the document is empty.
func Run(ctx context.Context, r Request) (record.Document, error) {
	p, err := NewPlan(ctx, r)
	if err != nil {
		return record.Document{}, err
	}
	return p.Run(ctx)
}

// Run executes the runs of the plan, like the function Run. It sets Out to the results folder, or to "" if that folder
// has been lost. When ctx ends, the current run stops in order and keeps its measurements.
func (p *Plan) Run(ctx context.Context) (record.Document, error) {
	d, err := run.Make(ctx, p.Plan, &p.running)
	return d, errors.Join(err, form.WriteEndpointsFiles(p.Plan, d))
}

// Loop runs a closed loop, instead of LoadGen, on the model of the plan. It writes only the plugin's output, into the
// folder Output.Dir, which is required. The record describes the run but contains no performance. The plan must have
// exactly one performance run; its scenario determines how the plugin forms batches.
func (p *Plan) Loop(ctx context.Context, l closedloop.LoopPlan) (closedloop.LoopTimes, record.Run, error) {
	return run.Loop(ctx, p.Plan, &p.running, l)
}

// Kill ends the running plugin immediately, if there is one. It may be called from any goroutine.
func (p *Plan) Kill() { p.running.Kill() }

// ChooseOut sets Out to the folder that Run would write to. It returns an error if the folder contains results of the
// same runs and the request does not allow their replacement.
func (p *Plan) ChooseOut() (err error) {
	p.Out, err = output.Choose(p.Request.Output.Dir, p.Request.Output.Force, p.Dirs())
	return err
}

// Earlier finds earlier results of the plan's runs in the folder Output.Dir.
func (p *Plan) Earlier() ([]Earlier, error) { return run.Find(p.Plan) }

// Differs describes the first difference between a finished run's record and the plan's run, or returns "" if there is
// none. The plan must have exactly one run.
func (p *Plan) Differs(have record.Run) (string, error) { return run.Differs(p.Plan, have) }

// Unmade returns a record for each run of the plan that marks it as not made, with the exit code of an interrupt.
// Commands write them to result.json when they begin a series of runs. The records lack the checksums of the plugin and
// of the data set.
func (p *Plan) Unmade() []record.Run { return run.Unmade(p.Plan) }

// Record writes records into result.json of the output folder out and of their scenarios. They replace the records of
// the same runs. It returns an error if another session is writing there.
func Record(out string, runs ...record.Run) error { return run.Record(out, runs...) }

// Settle cleans up the output folder out if all runs are already there. It removes the lock and incomplete files of a
// killed session and recovers results that were set aside. note describes the recovered results, one per line. Settle
// does not change a folder without such a lock or with a running session.
func Settle(out string) (note string) { return run.Settle(out) }
