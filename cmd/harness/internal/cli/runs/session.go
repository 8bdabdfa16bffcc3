package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
	"github.com/plumbline-ml/plumbline/internal/failif"
)

// runSession prints the runs of one plan while they proceed.
type runSession struct {
	*app
	plan   *bench.Plan
	flags  *Flags
	begun  bool   // a test has begun
	header bool   // the header was written
	title  string // title of the next run, until it is written
	pace   paceNote
	// conditions contains the conditions of --fail-if.
	conditions []failif.Condition
}

// newWatch returns the callbacks of the session and the observers.
func (s *runSession) newWatch() bench.Watch {
	w := bench.Watch{
		Begun: func() {
			s.SetKill(s.plan.Kill)
			s.SetOrderly(true)
			s.flags.observers.Plan(s.plan)
		},
		Opened: func(rec record.Run) {
			s.writeHeader(rec)
			s.flags.observers.Open(rec)
		},
		Testing: s.showTesting,
		Done: func(rec record.Run) {
			s.printRow(rec)
			s.flags.observers.Done(rec)
		},
		Note: func(text string) {
			live.ClearLine(s.Console, s.ErrScreen.IsTerminal())
			fmt.Fprint(s.Stderr, text)
			s.flags.observers.Note(text)
		},
	}
	if !s.flags.Quiet {
		w.Scoring = s.ShowScoring()
	}
	return w
}

// showTesting shows the progress of a test to the user and the observers.
func (s *runSession) showTesting(t bench.PlannedRun, p *loadgen.Progress) (stop func()) {
	seen := s.flags.observers.Test(t, p)
	if s.flags.Quiet {
		return seen
	}
	shown := s.showTest(t, p)
	return func() {
		shown()
		seen()
	}
}

// runPlan runs the plan. It returns an error for a failure or a bad outcome.
func (s *runSession) runPlan(ctx context.Context) error {
	defer s.MarkClosed()
	d, err := s.plan.Run(ctx)
	if len(d.Runs) > 0 {
		err = errors.Join(err, s.writeEnd(d))
	}
	if err != nil {
		return err
	}
	return s.sessionOutcome(d)
}

// sessionOutcome returns an error if a finished run is not good or meets a condition of --fail-if.
func (s *runSession) sessionOutcome(d record.Document) error {
	err := s.JudgeConditions(s.conditions, failif.RunSubjects(d.Runs), s.flags.json)
	if err != nil && exitcode.Of(err) != exitcode.Invalid {
		return err
	}
	code := exitcode.Worst(exitcode.Code(d.ExitCode), exitcode.Of(err))
	if code == exitcode.Valid {
		return nil
	}
	return &exitcode.Outcome{Code: code}
}

// writeEnd writes the end of the report, or the whole report as JSON.
func (s *runSession) writeEnd(d record.Document) error {
	s.Report.AddRuns(d.Runs)
	if !s.flags.json {
		if s.plan.Out == "" {
			return nil // no folder to name
		}
		return record.WriteFooter(s.Stdout, s.plan.Out, d)
	}
	text, err := d.JSON()
	if err != nil {
		return err
	}
	_, err = s.Data.Write(text)
	return err
}

// writeHeader writes the header after the first workload is open.
func (s *runSession) writeHeader(rec record.Run) {
	s.begun = true
	if rec.Workload != nil {
		s.pace.samples = rec.Workload.DatasetSize
	}
	if s.flags.json {
		return
	}
	if s.title != "" {
		terminal.WriterTo(s.Stdout).Print(terminal.Span{Style: terminal.Heading, Text: s.title}, "\n")
		s.title = ""
	}
	if s.header {
		return
	}
	s.header = true
	_ = record.WriteHeader(s.Stdout, rec, s.plan.Out) // output errors are reported at the end
}

// printRow prints the row of a run. It prints nothing if the session failed before its first test, because the error is
// enough.
func (s *runSession) printRow(rec record.Run) {
	unbegun := !s.header && (rec.Status == record.Failed || rec.Status == record.NotRun)
	if !s.flags.json && !unbegun {
		_ = record.WriteRow(s.Stdout, rec)
	}
}

// showTest shows a running test on standard error.
func (s *runSession) showTest(t bench.PlannedRun, p *loadgen.Progress) (stop func()) {
	return live.Watch(live.Options{
		Out: s.Console, Terminal: s.ErrScreen.IsTerminal(), Width: s.ErrColumns,
		Label:      fmt.Sprintf("%v %s", t.Scenario, t.ModeName()),
		Percentile: feed.Percentile(t), Snapshot: p.Snapshot,
		PermanentLine: func(now loadgen.ProgressSnapshot) string {
			return s.pace.announceOnce(s.plan.Profile, s.plan.Runs, now)
		},
	})
}

// RunObserved calls do with the observers open, and reports its outcome as their last event.
func RunObserved(a *shell.App, ctx context.Context, r *Flags, do func() error) (err error) {
	if !r.Observe.Wanted() {
		return do()
	}
	if r.observers, err = r.Observe.Open(a, r.json, r.Output.Force); err != nil {
		return err
	}
	a.NoteHook = r.observers.Note
	defer func() { err = r.observers.Close(ctx, err) }()
	return do()
}
