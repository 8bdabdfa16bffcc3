package run

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/output"
)

// Make executes the runs of a plan. running contains the running plugin, so that callers can end it. Make sets Out to
// the results folder, or to "" if that folder was lost or nothing was written: a failure before the first test leaves
// the folder unchanged. When ctx ends, the current run stops in order and keeps its measurements.
func Make(ctx context.Context, p *plan.Plan, running *plugin.Running) (record.Document, error) {
	claim, err := output.Take(p.Request.Output.Dir, p.Request.Output.Force, p.Dirs())
	if err != nil {
		return record.Document{}, err
	}
	defer claim.Release()
	claim.Remember(p.Dirs())
	p.Out = claim.Dir
	s := &planSession{plan: p, claim: claim, watch: p.Request.Output.Watch.Complete()}
	f, err := gatherFacts(p)
	if err != nil {
		s.restoreFolder(err)
		return record.Document{}, err
	}
	s.runner = newRunner(p, f, running)
	s.runner.opened, s.runner.watch, s.runner.note = s.keepUserConf, s.watch.Testing, s.watch.Note
	return s.executeRuns(ctx)
}

// planSession executes the runs of one plan and records them.
type planSession struct {
	plan     *plan.Plan
	claim    *output.Claim
	runner   *runner
	watch    plan.Watch
	userConf []byte // nil: none
	wrote    error  // the error of writing user.conf
	begun    bool   // the test of a run has begun
	records  []record.Run
}

// executeRuns executes the runs in order. If a run fails, the session ends, and the later runs are recorded as not run.
func (s *planSession) executeRuns(ctx context.Context) (record.Document, error) {
	s.watch.Begun()
	s.noteRecovered(s.claim.Recovered)
	if err := s.prepareFolder(); err != nil {
		err = errors.Join(sdk.Usage(err), s.recoverReplaced())
		s.restoreFolder(err)
		return record.Document{}, err
	}
	var failure error
	for i, t := range s.plan.Runs {
		rec, err := s.executeRun(ctx, t)
		s.addRecords(rec)
		if err != nil {
			skipped := s.skippedRecords(s.plan.Runs[i+1:], exitcode.Of(err))
			s.addRecords(skipped...)
			failure = errors.Join(err, s.saveRecords(skipped...))
			break
		}
	}
	err := errors.Join(failure, s.wrote, s.recoverReplaced())
	s.restoreFolder(failure)
	if s.claim.Check() != nil {
		s.plan.Out = ""
	}
	return record.NewDocument(s.records), err
}

// restoreFolder restores the folder after a failure before the first test, because it contains no results. If the
// folder lists runs that are still to be made, the failure stays in their records.
func (s *planSession) restoreFolder(failure error) {
	if failure == nil || s.begun || exitcode.Of(failure) == exitcode.Interrupted ||
		s.plan.Request.Output.Listed && !s.claim.IsNew() {
		return
	}
	if s.claim.Discard() {
		s.plan.Out = ""
	}
}

func (s *planSession) addRecords(records ...record.Run) {
	for _, rec := range records {
		s.records = append(s.records, rec)
		s.watch.Done(rec)
	}
}

// prepareFolder creates the output folders. Before it moves the logs of earlier runs, it marks the runs that replace
// them as not made in result.json, so that result.json never refers to missing files.
func (s *planSession) prepareFolder() (err error) {
	if s.plan.UserConf != "" {
		if s.userConf, err = backend.ReadFile(s.plan.UserConf, 1<<20); err != nil {
			return err
		}
	}
	if err := output.SetAside(s.plan.Out, s.plan.Dirs()); err != nil {
		return err
	}
	if err := s.saveRecords(s.skippedRecords(s.plan.Runs, exitcode.Interrupted)...); err != nil {
		return err
	}
	return output.Prepare(s.plan.Out, s.plan.Dirs())
}

// recoverReplaced restores or removes the earlier results that were set aside.
func (s *planSession) recoverReplaced() error {
	if s.claim.Check() != nil { // not in this folder
		return nil
	}
	recovered, err := output.Recover(s.plan.Out)
	output.Prune(s.plan.Out, s.plan.Dirs())
	s.noteRecovered(recovered)
	return sdk.Usage(err)
}

func (s *planSession) noteRecovered(recovered output.Recovered) {
	if text := recovered.Text(); text != "" {
		s.watch.Note(text)
	}
}

// skippedRecords returns records of runs that are not made because the session ends with code.
func (s *planSession) skippedRecords(runs []plan.Run, code exitcode.Code) []record.Run {
	return s.runner.skippedRecords(s.plan, runs, code)
}

// executeRun executes one run. From its beginning, the output directory contains a record that marks it as unfinished.
func (s *planSession) executeRun(ctx context.Context, t plan.Run) (record.Run, error) {
	fault := s.predictRun(&t)
	rec := s.runner.newRecord(s.plan, t)
	rec.Begin()
	if err := errors.Join(fault, s.saveRecords(rec), keepAuditConfig(s.plan, t)); err != nil {
		rec.Finish(err)
		return rec, err
	}
	rec, err := s.runner.executeRun(ctx, s.plan, t)
	if lost := s.saveRecords(rec); lost != nil {
		err = errors.Join(err, lost)
		rec.Finish(err)
	}
	return rec, err
}

// saveRecords merges records into the result files. Failures to write count as faults of the output directory.
func (s *planSession) saveRecords(records ...record.Run) error {
	if err := s.claim.Check(); err != nil {
		return err
	}
	return sdk.Usage(record.Save(s.plan.Out, records...))
}

// keepUserConf copies the user's settings to the output directory. It waits for the plugin to load the model, so that a
// failed load leaves the earlier results unchanged.
func (s *planSession) keepUserConf(rec record.Run) {
	s.begun = true
	if s.userConf != nil {
		s.wrote = errors.Join(s.wrote, output.WriteUserConf(s.plan.Out, filepath.Join(rec.Model, rec.Scenario), s.userConf))
	}
	s.watch.Opened(rec)
}

// keepAuditConfig writes the settings of the compliance test next to its results.
func keepAuditConfig(p *plan.Plan, r plan.Run) error {
	if p.Test.Config == "" {
		return nil
	}
	return sdk.Usage(wholefile.Write(p.AuditPath(r), []byte(p.Test.Config), 0o644))
}
