package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/checksum"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/output"
	"github.com/plumbline-ml/plumbline/bench/report"
	"github.com/plumbline-ml/plumbline/bench/system"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
)

// session makes the runs of one plan and reports them.
type session struct {
	*app
	plan   *bench.Plan
	claim  *output.Claim
	flags  *runFlags
	runner *bench.Runner
	header bool  // written
	wrote  error // of what was written so far

	userConf []byte // nil: none
}

func (a *app) newSession(p *bench.Plan, c *output.Claim, r *runFlags) (*session, error) {
	s := &session{app: a, plan: p, claim: c, flags: r}
	facts, err := a.facts(p)
	if err != nil {
		return nil, err
	}
	s.runner = &bench.Runner{
		Launcher: a.Plugins, Launch: r.launch, Facts: facts, Trace: r.trace, AbortEarly: r.abortEarly, Now: a.Now, Opened: s.opened,
	}
	if !r.quiet {
		s.runner.Watch = s.watch
	}
	a.onKill(s.runner.Kill)
	return s, nil
}

// facts gathers what every record says.
func (a *app) facts(p *bench.Plan) (bench.Facts, error) {
	f := bench.Facts{Harness: harnessVersion(), System: system.Describe(a.Root), Command: a.commandLine()}
	sum, _, err := checksum.File(p.Served.Path)
	if err != nil {
		return f, exitcode.With(exitcode.Plugin, fmt.Errorf("plugin %s: %w", p.Served.Name, err))
	}
	f.Plugin = report.Plugin{Name: p.Served.Name, Version: p.Served.Description.Version, Path: p.Served.Path, SHA256: sum}
	if p.Options.Dataset != "" {
		if f.DatasetSHA256, err = checksum.Dataset(p.Options.Dataset); err != nil {
			return f, exitcode.With(exitcode.Data, err)
		}
	}
	return f, nil
}

// runAll makes the runs in order. A run that fails ends the session: those after it are recorded as not run.
func (s *session) runAll(ctx context.Context) error {
	s.orderly(true)
	defer s.orderly(false)
	fmt.Fprint(s.Stderr, s.claim.Settled.Text())
	if err := s.prepare(); err != nil {
		return errors.Join(err, s.settle())
	}
	var records []report.Run
	add := func(rec report.Run) {
		records = append(records, rec)
		s.row(rec)
	}
	for i, t := range s.plan.Runs {
		rec, err := s.run(ctx, t)
		add(rec)
		if err == nil {
			continue
		}
		skipped := s.skipped(s.plan.Runs[i+1:], exitcode.Of(err))
		for _, rec := range skipped {
			add(rec)
		}
		return s.finish(records, errors.Join(err, s.save(skipped...)))
	}
	return s.finish(records, nil)
}

// prepare makes the output tree. Before it sets the logs of earlier runs aside, result.json says that those that take their
// place are not made: at no moment does it speak of files that are gone.
func (s *session) prepare() (err error) {
	if s.plan.UserConf != "" {
		if s.userConf, err = backend.ReadFile(s.plan.UserConf, 1<<20); err != nil {
			return exitcode.With(exitcode.Usage, err)
		}
	}
	if err := output.SetAside(s.plan.Out, runDirs(s.plan)); err != nil {
		return exitcode.With(exitcode.Usage, err)
	}
	if err := s.save(s.skipped(s.plan.Runs, exitcode.Interrupted)...); err != nil {
		return err
	}
	return output.Prepare(s.plan.Out, runDirs(s.plan))
}

// settle decides what becomes of results that were to be replaced.
func (s *session) settle() error {
	if s.claim.Check() != nil { // not here
		return nil
	}
	settled, err := output.Settle(s.plan.Out)
	output.Prune(s.plan.Out, runDirs(s.plan))
	fmt.Fprint(s.Stderr, settled.Text())
	return exitcode.With(exitcode.Usage, err)
}

// skipped are the records of runs that are not made, for what ends with code.
func (s *session) skipped(runs []bench.PlannedRun, code exitcode.Code) []report.Run {
	records := make([]report.Run, len(runs))
	for i, t := range runs {
		records[i] = s.runner.Record(s.plan, t)
		records[i].Skip(code)
	}
	return records
}

// run makes one run. Its record is in the output directory from the beginning, as one that is not finished.
func (s *session) run(ctx context.Context, t bench.PlannedRun) (report.Run, error) {
	rec := s.runner.Record(s.plan, t)
	rec.Begin()
	if err := s.save(rec); err != nil {
		rec.Finish(err)
		return rec, err
	}
	rec, err := s.runner.Run(ctx, s.plan, t)
	if lost := s.save(rec); lost != nil {
		err = errors.Join(err, lost)
		rec.Finish(err)
	}
	return rec, err
}

// save merges records into the files of results. One that cannot be written is the output directory's fault.
func (s *session) save(records ...report.Run) error {
	if err := s.claim.Check(); err != nil {
		return err
	}
	return exitcode.With(exitcode.Usage, report.Save(s.plan.Out, records...))
}

// finish writes what follows the last run and returns the session's error: a failure, or an outcome that is not good.
func (s *session) finish(records []report.Run, failure error) error {
	d := report.NewDocument(records)
	s.wrote = errors.Join(s.wrote, s.settle(), s.writeEnd(d))
	if err := errors.Join(failure, s.wrote); err != nil {
		return err
	}
	if d.ExitCode != 0 {
		return &exitcode.Outcome{Code: exitcode.Code(d.ExitCode)}
	}
	return nil
}

// writeEnd ends the report, or is all of it: as JSON.
func (s *session) writeEnd(d report.Document) error {
	if !s.flags.json {
		if s.claim.Check() != nil {
			return nil // there is nothing left to be named
		}
		return report.WriteFooter(s.Stdout, s.plan.Out)
	}
	text, err := d.JSON()
	if err != nil {
		return err
	}
	_, err = s.Stdout.Write(text)
	return err
}

// opened writes the header when the first workload is open, and says what runs. Settings are copied now, and not before: what a
// model that does not load was to replace stays as it is.
func (s *session) opened(rec report.Run) {
	if s.userConf != nil {
		s.wrote = errors.Join(s.wrote, output.WriteUserConf(s.plan.Out, filepath.Join(rec.Model, rec.Scenario), s.userConf))
	}
	if s.header || s.flags.json {
		return
	}
	s.header = true
	s.wrote = errors.Join(s.wrote, report.WriteHeader(s.Stdout, rec, s.plan.Out))
}

func (s *session) row(rec report.Run) {
	if !s.flags.json {
		s.wrote = errors.Join(s.wrote, report.WriteRow(s.Stdout, rec))
	}
}

// watch shows a running test on the error stream.
func (s *session) watch(t bench.PlannedRun, p *loadgen.Progress) (stop func()) {
	return live.Watch(live.Options{
		Out: s.console, Terminal: s.Terminal, Width: s.Width,
		Label:      fmt.Sprintf("%v %s", t.Scenario, t.ModeName()),
		Percentile: percentile(t), Snapshot: p.Snapshot,
	})
}

// percentile is the one that the scenario judges latencies at, as a fraction; 0 for Offline, which judges none.
func percentile(t bench.PlannedRun) float64 {
	s := t.Settings.TestSettings
	switch t.Scenario {
	case loadgen.SingleStream:
		return s.SingleStreamTargetLatencyPercentile
	case loadgen.MultiStream:
		return s.MultiStreamTargetLatencyPercentile
	case loadgen.Server:
		return s.ServerTargetLatencyPercentile
	}
	return 0
}
