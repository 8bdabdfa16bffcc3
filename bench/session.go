package bench

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/output"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// Run finds the plugin of a request, makes its runs one after the other, judges them, and writes what harness run
// writes into the folder Request.Out. The document holds what each run measured; whether one is VALID stands
// there, and is no error.
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

// ChooseOut sets Out to the folder that Run would write to. An error says that it holds results of the same runs, and
// that the request does not say to replace them.
func (p *Plan) ChooseOut() (err error) {
	p.Out, err = output.Choose(p.request.Out, p.request.Force, p.dirs())
	return err
}

// dirs are the directories of the runs.
func (p *Plan) dirs() []string {
	dirs := make([]string, len(p.Runs))
	for i, r := range p.Runs {
		dirs[i] = r.Dir
	}
	if p.request.PowerLogs != "" {
		dirs = append(dirs, p.powerDir())
	}
	return dirs
}

// Run makes the runs of the plan, as the function Run does. It sets Out to the folder of the results, and
// to nothing where that folder is lost in the end. The end of ctx ends the run that is under way in order:
// what was measured is kept.
func (p *Plan) Run(ctx context.Context) (record.Document, error) {
	claim, err := output.Take(p.request.Out, p.request.Force, p.dirs())
	if err != nil {
		return record.Document{}, err
	}
	defer claim.Release()
	p.Out = claim.Dir
	f, err := p.request.facts(p)
	if err != nil {
		return record.Document{}, err
	}
	s := &session{plan: p, claim: claim, watch: p.request.Watch.complete()}
	s.runner = newRunner(p, f)
	s.runner.opened, s.runner.watch = s.opened, s.watch.Testing
	return s.run(ctx)
}

// Kill ends the plugin that runs at once, if there is one. Any goroutine may call it.
func (p *Plan) Kill() { p.running.Kill() }

// session makes the runs of one plan and records them.
type session struct {
	plan     *Plan
	claim    *output.Claim
	runner   *runner
	watch    Watch
	userConf []byte // nil: none
	wrote    error  // of user.conf
	records  []record.Run
}

// run makes the runs in order. One that fails ends the session: those after it are recorded as not run.
func (s *session) run(ctx context.Context) (record.Document, error) {
	s.watch.Begun()
	s.note(s.claim.Recovered)
	if err := s.prepare(); err != nil {
		return record.Document{}, errors.Join(sdk.Usage(err), s.recoverReplaced())
	}
	var failure error
	for i, t := range s.plan.Runs {
		rec, err := s.make(ctx, t)
		s.add(rec)
		if err != nil {
			skipped := s.skipped(s.plan.Runs[i+1:], exitcode.Of(err))
			s.add(skipped...)
			failure = errors.Join(err, s.save(skipped...))
			break
		}
	}
	err := errors.Join(failure, s.wrote, s.recoverReplaced())
	if s.claim.Check() != nil {
		s.plan.Out = ""
	}
	return record.NewDocument(s.records), err
}

func (s *session) add(records ...record.Run) {
	for _, rec := range records {
		s.records = append(s.records, rec)
		s.watch.Done(rec)
	}
}

// prepare makes the output tree. Before it sets the logs of earlier runs aside, result.json says that those that take
// their place are not made: at no moment does it speak of files that are gone.
func (s *session) prepare() (err error) {
	if s.plan.UserConf != "" {
		if s.userConf, err = backend.ReadFile(s.plan.UserConf, 1<<20); err != nil {
			return err
		}
	}
	if err := output.SetAside(s.plan.Out, s.plan.dirs()); err != nil {
		return err
	}
	if err := s.save(s.skipped(s.plan.Runs, exitcode.Interrupted)...); err != nil {
		return err
	}
	return output.Prepare(s.plan.Out, s.plan.dirs())
}

// recoverReplaced decides what becomes of results that were to be replaced.
func (s *session) recoverReplaced() error {
	if s.claim.Check() != nil { // not here
		return nil
	}
	recovered, err := output.Recover(s.plan.Out)
	output.Prune(s.plan.Out, s.plan.dirs())
	s.note(recovered)
	return sdk.Usage(err)
}

func (s *session) note(recovered output.Recovered) {
	if text := recovered.Text(); text != "" {
		s.watch.Note(text)
	}
}

// skipped are the records of runs that are not made, for what ends with code.
func (s *session) skipped(runs []PlannedRun, code exitcode.Code) []record.Run {
	return s.runner.skipped(s.plan, runs, code)
}

// make makes one run. Its record is in the output directory from the beginning, as one that is not finished.
func (s *session) make(ctx context.Context, t PlannedRun) (record.Run, error) {
	rec := s.runner.record(s.plan, t)
	rec.Begin()
	if err := errors.Join(s.save(rec), s.plan.keepAuditConfig(t)); err != nil {
		rec.Finish(err)
		return rec, err
	}
	rec, err := s.runner.run(ctx, s.plan, t)
	if lost := s.save(rec); lost != nil {
		err = errors.Join(err, lost)
		rec.Finish(err)
	}
	return rec, err
}

// save merges records into the files of results. One that cannot be written is the output directory's fault.
func (s *session) save(records ...record.Run) error {
	if err := s.claim.Check(); err != nil {
		return err
	}
	return sdk.Usage(record.Save(s.plan.Out, records...))
}

// opened copies the user's settings now, and not before: what a model that does not load was to replace stays as it is.
func (s *session) opened(rec record.Run) {
	if s.userConf != nil {
		s.wrote = errors.Join(s.wrote, output.WriteUserConf(s.plan.Out, filepath.Join(rec.Model, rec.Scenario), s.userConf))
	}
	s.watch.Opened(rec)
}
