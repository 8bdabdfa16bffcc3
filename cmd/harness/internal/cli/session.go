package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/checksum"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/output"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plan"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/report"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/run"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/system"
)

// session makes the runs of one plan and reports them.
type session struct {
	*app
	plan   *plan.Plan
	flags  *runFlags
	runner *run.Runner
	header bool  // written
	wrote  error // of what was written so far
}

func (a *app) newSession(ctx context.Context, p *plan.Plan, r *runFlags) (*session, error) {
	s := &session{app: a, plan: p, flags: r}
	facts, err := a.facts(p)
	if err != nil {
		return nil, err
	}
	s.runner = &run.Runner{
		Launcher: a.Plugins, Launch: r.launch, Facts: facts, Trace: r.trace, AbortEarly: r.abortEarly, Now: a.Now, Opened: s.opened,
	}
	if !r.quiet {
		s.runner.Watch = s.watch
	}
	a.onKill(s.runner.Kill)
	return s, ctx.Err()
}

// facts gathers what every record says.
func (a *app) facts(p *plan.Plan) (run.Facts, error) {
	f := run.Facts{Harness: harnessVersion(), System: system.Describe(a.Root), Command: a.commandLine()}
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
	var records []report.Run
	var failure error
	for _, t := range s.plan.Runs {
		if failure != nil {
			rec := s.runner.Record(s.plan, t)
			rec.Skip()
			records = append(records, rec)
			s.row(rec)
			continue
		}
		rec, err := s.run(ctx, t)
		failure = err
		records = append(records, rec)
		s.row(rec)
	}
	return s.finish(records, failure)
}

// run makes one run. Its record is in the output directory from the beginning, as one that is not finished.
func (s *session) run(ctx context.Context, t plan.Run) (report.Run, error) {
	rec := s.runner.Record(s.plan, t)
	rec.Begin()
	if err := report.Save(s.plan.Out, rec); err != nil {
		return rec, exitcode.With(exitcode.Usage, err)
	}
	rec, err := s.runner.Run(ctx, s.plan, t)
	return rec, errors.Join(err, report.Save(s.plan.Out, rec))
}

// finish writes what follows the last run and returns the session's error: a failure, or an outcome that is not good.
func (s *session) finish(records []report.Run, failure error) error {
	output.Prune(s.plan.Out, runDirs(s.plan))
	d := report.NewDocument(records)
	if s.flags.json {
		text, err := d.JSON()
		if err != nil {
			return err
		}
		if _, err := s.Stdout.Write(text); err != nil {
			return err
		}
	} else if err := report.WriteFooter(s.Stdout, s.plan.Out); err != nil {
		return err
	}
	if err := errors.Join(failure, s.wrote); err != nil {
		return err
	}
	if d.ExitCode != 0 {
		return &exitcode.Outcome{Code: exitcode.Code(d.ExitCode)}
	}
	return nil
}

// opened writes the header when the first workload is open, and says what runs.
func (s *session) opened(rec report.Run) {
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
func (s *session) watch(t plan.Run, p *loadgen.Progress) (stop func()) {
	return live.Watch(live.Options{
		Out: s.Stderr, Terminal: s.Terminal, Width: s.Width,
		Label:      fmt.Sprintf("%v %s", t.Scenario, t.ModeName()),
		Percentile: percentile(t), Snapshot: p.Snapshot,
	})
}

// percentile is the one that the scenario judges latencies at, as a fraction; 0 for Offline, which judges none.
func percentile(t plan.Run) float64 {
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
