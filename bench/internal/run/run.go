// Package run executes the runs of a plan one after another and writes their records.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/output"
)

// runner executes runs.
type runner struct {
	launcher plugin.Launcher
	launch   host.LaunchOptions
	facts    runFacts // the common parts of all records
	request  plan.Request
	running  *plugin.Running
	// checkedScorers states that the scorer can be opened for answers of the embedded model (key true) or of another model
	// (key false).
	checkedScorers map[bool]bool
	checkedSizes   bool // the data sets of later runs were checked
	// streamed states that SingleStream has shown how long a sample takes.
	streamed bool
	// opened is called with the record of each run when the plugin has opened all that it needs and the test begins.
	opened func(record.Run)
	// watch shows the progress of a running test until its result is called.
	watch func(t plan.Run, p *loadgen.Progress) (stop func())
	// note shows a message to the user immediately.
	note func(text string)
}

func newRunner(p *plan.Plan, f runFacts, running *plugin.Running) *runner {
	return &runner{
		launcher: p.Request.Plugins.Starter(), launch: p.Launch, facts: f, request: p.Request, running: running,
		checkedScorers: map[bool]bool{},
	}
}

// executeRun executes one run and records it. The record contains all results, including the error. Its Error is nil if
// the run finished normally, whatever its verdict.
func (r *runner) executeRun(ctx context.Context, p *plan.Plan, t plan.Run) (record.Run, error) {
	rec := r.newRecord(p, t)
	err := r.performRun(ctx, p, t, &rec)
	if rec.Effective != nil && !t.Streams && !errors.Is(err, loadgen.ErrLogsLost) { // the run has logs in this folder
		err = errors.Join(err, output.CheckLost(p.Out, t.Dir))
	}
	files, kept := output.SyncAndList(p.Out, t.Dir)
	rec.Files = files
	err = errors.Join(err, sdk.Usage(kept))
	rec.Finish(err)
	rec.Hide(r.launch.Hide)
	return rec, err
}

func (r *runner) performRun(ctx context.Context, p *plan.Plan, t plan.Run, rec *record.Run) error {
	if err := r.checkLaterData(ctx, p, t); err != nil {
		return err
	}
	return r.withPlugin(ctx, p, t, func(ctx context.Context, pl plugin.Plugin) error {
		err := r.withWorkload(ctx, pl, p, t, rec, func(w plugin.Workload) error {
			if err := r.checkScorer(ctx, pl, p, p.Embedded && rec.AnsweredByEmbedded()); err != nil {
				return err
			}
			r.opened(*rec)
			switch {
			case t.Replay:
				return r.replayConversations(ctx, pl, p, t, rec, w)
			case t.Users > 0:
				return r.runClosedLoop(ctx, p, t, rec, w.SUT(), w.QSL())
			}
			sut, qsl := r.addProbe(p, t, rec, w)
			return r.runTest(ctx, p, t, rec, sut, qsl)
		})
		if err != nil || t.Mode != loadgen.AccuracyOnly {
			return err
		}
		return r.scoreLog(ctx, pl, p, t, rec)
	})
}

// withPlugin starts a plugin and calls use with it and with a context that ends if the plugin fails.
func (r *runner) withPlugin(ctx context.Context, p *plan.Plan, t plan.Run,
	use func(context.Context, plugin.Plugin) error) error {
	printed := output.NewPluginLog(p.Out, t.Dir)
	defer printed.Close()
	pl, err := r.launcher.Launch(ctx, p.Served.Path, r.launchOptions(p, printed))
	if err != nil {
		return err
	}
	r.running.Hold(pl)
	defer r.running.Hold(nil)
	defer pl.Close()
	pctx, cancel := pl.Context(ctx)
	defer cancel()
	return preferCause(pctx, use(pctx, pl))
}

// launchOptions makes the plugin print to a log and inherit the environment variables that its options name (key_env,
// PGPASSWORD).
func (r *runner) launchOptions(p *plan.Plan, printed io.Writer) host.LaunchOptions {
	o := plan.Inherit(r.launch, p.Options)
	o.Stderr = printed
	return o
}

// withWorkload opens the workload, calls use with it and closes it.
func (r *runner) withWorkload(ctx context.Context, pl plugin.Plugin, p *plan.Plan, t plan.Run, rec *record.Run,
	use func(plugin.Workload) error) (err error) {
	w, err := pl.Open(ctx, p.OptionsOf(t))
	if err != nil {
		return exitcode.OrData(fmt.Errorf("opening %s: %w", t.Model, err))
	}
	sut, qsl := w.SUT(), w.QSL()
	if err := p.CheckSamples(t, w.Info()); err != nil {
		return errors.Join(err, closeWorkload(ctx, pl, w))
	}
	rec.FromWorkload(w.Info(), sut.Name(), qsl.Name())
	defer func() {
		if failed := closeWorkload(ctx, pl, w); failed != nil && err == nil {
			rec.Notes = append(rec.Notes, record.Finding{
				About: "close", Text: fmt.Sprintf("Closing the workload failed after the run: %v.", failed),
			})
		}
		rec.Workload.AtEnd(w.Info())
		rec.AddRunNotes(w.Info().RunNotes)
		err = errors.Join(err, recordDivision(rec, p, w.Info()))
	}()
	if err := recordDivision(rec, p, w.Info()); err != nil {
		return err
	}
	if p.File != nil {
		rec.Workload.ModelNote = p.File.Note
	}
	if sum, err := r.facts.checksumDataset(p.OptionsOf(t).Dataset); err != nil {
		return err
	} else if sum != "" {
		rec.Workload.DatasetSHA256, rec.Workload.DatasetNote = sum, checksum.DatasetNote
	}
	rec.Hide(r.launch.Hide)
	return use(w)
}

// checkLaterData opens the data sets of later runs once per plan, before the first run. A data set of the wrong size is
// then reported before hours of runs.
func (r *runner) checkLaterData(ctx context.Context, p *plan.Plan, now plan.Run) error {
	if r.checkedSizes {
		return nil
	}
	for _, t := range p.SizedLater(now) {
		err := r.withPlugin(ctx, p, now, func(ctx context.Context, pl plugin.Plugin) error {
			w, err := pl.Open(ctx, p.OptionsOf(t))
			if err != nil {
				return exitcode.OrData(fmt.Errorf("opening %s for its %s run: %w", t.Model, t.ModeName(), err))
			}
			return errors.Join(p.CheckSamples(t, w.Info()), closeWorkload(ctx, pl, w))
		})
		if err != nil {
			return err
		}
	}
	r.checkedSizes = true
	return nil
}

// checkScorer opens the scorer before the first run, so that missing tokenizers, models and references are reported
// before hours of runs. It does so once per plan with accuracy runs, and again if another model answers. The workload
// is already open and has reported all faults of the data set.
func (r *runner) checkScorer(ctx context.Context, pl plugin.Plugin, p *plan.Plan, embedded bool) error {
	accuracy := slices.ContainsFunc(p.Runs, func(t plan.Run) bool { return t.Mode == loadgen.AccuracyOnly })
	if !accuracy || r.checkedScorers[embedded] {
		return nil
	}
	if err := p.Scoring().Check(ctx, pl, embedded); err != nil {
		return exitcode.OrData(fmt.Errorf("%w (looked at before the first run; --mode %s makes no accuracy run)", err,
			plan.ModePerformance))
	}
	r.checkedScorers[embedded] = true
	return nil
}

// scoreLog computes the accuracy from the log of the run.
func (r *runner) scoreLog(ctx context.Context, pl plugin.Plugin, p *plan.Plan, t plan.Run, rec *record.Run) error {
	if err := output.CheckLost(p.Out, t.Dir); err != nil {
		return err
	}
	dir := filepath.Join(p.Out, t.Dir)
	scoring := p.Scoring()
	s, err := scoring.Log(ctx, pl, filepath.Join(dir, mllog.AccuracyFile), p.Embedded && rec.AnsweredByEmbedded())
	if err != nil {
		return exitcode.OrData(err)
	}
	if _, err := s.WriteText(dir); err != nil {
		return sdk.Usage(err)
	}
	if err := errors.Join(s.WriteFiles(dir), s.WriteExhibits(dir)); err != nil {
		return sdk.Usage(err)
	}
	// A backend with its own model (a server) reports that the embedded model does not run.
	v, fault := scoring.Judge(s.Score, p.Embedded && rec.Workload != nil && rec.Workload.Embedded)
	rec.Accuracy = record.NewAccuracy(v, s.Score, s.SHA256)
	return fault
}

// preferCause returns the reason why ctx ended (a plugin failure or an interrupt) rather than an error that followed
// from it.
func preferCause(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var failed *host.PluginError
	switch {
	case err == nil:
		return nil
	case errors.As(cause, &failed):
		return failed
	case cause != nil && !errors.Is(err, cause):
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// recordDivision records the division of a run from the plugin's description of the workload: once when the workload is
// opened, and again when it is closed and its description is complete.
func recordDivision(rec *record.Run, p *plan.Plan, info sdk.WorkloadInfo) error {
	if p.Division == division.Network && len(info.Nodes) == 0 {
		return sdk.Usage(fmt.Errorf("--division %s: plugin %s does not know it: rebuild the plugin with this version's sdk",
			p.Division, p.Served.Name))
	}
	c := division.Case{Requested: p.Division, Workload: info}
	if len(info.Nodes) > 0 {
		var err error
		if c.Here, err = division.ReadLocalAddresses(); err != nil {
			return err
		}
	}
	rec.FromDivision(division.Judge(c), info)
	return nil
}

// closeGrace is the time that a plugin has to close its workload after the user ended the run. A hanging plugin would
// otherwise be noticed only by its missing heartbeat.
const closeGrace = 5 * time.Second

// closeWorkload closes a workload. If ctx has ended or ends meanwhile, it kills a plugin that does not close the
// workload in time.
func closeWorkload(ctx context.Context, pl plugin.Plugin, w plugin.Workload) error {
	closed := make(chan struct{})
	defer close(closed)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-closed:
		case <-time.After(closeGrace):
			pl.Kill()
		}
	})
	defer stop()
	return w.Close()
}
