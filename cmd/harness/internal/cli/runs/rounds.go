package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/compare"
	"github.com/plumbline-ml/plumbline/internal/failif"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// sessionTurn is one session of harness run in a series of backends or rounds.
type sessionTurn struct {
	backend string // empty: the plugin's default
	round   int    // from 1
	dir     string // folder of the results below the output folder; "." for a single turn
}

// listTurns lists the sessions: each backend once per round, in reverse order in every other round, so that a drift of
// the machine affects all backends equally.
func listTurns(backends []string, rounds int) []sessionTurn {
	var all []sessionTurn
	for round := 1; round <= rounds; round++ {
		order := slices.Clone(backends)
		if round%2 == 0 {
			slices.Reverse(order)
		}
		for _, b := range order {
			dir := "."
			if len(backends) > 1 {
				dir = b
			}
			if rounds > 1 {
				dir = filepath.Join(dir, strconv.Itoa(round))
			}
			all = append(all, sessionTurn{b, round, dir})
		}
	}
	return all
}

// parseBackends returns the backends in --backend.
func (r *Flags) parseBackends() ([]string, error) {
	names := strings.Split(r.Model.Backend, ",")
	for i, b := range names {
		switch {
		case len(names) == 1:
		case b == "" || b == "." || b == ".." || strings.ContainsAny(b, `/\`):
			return nil, sdk.Usage(fmt.Errorf("--backend %s: %q is not a backend's name", r.Model.Backend, b))
		case slices.Contains(names[:i], b):
			return nil, sdk.Usage(fmt.Errorf("--backend %s: %q is listed twice", r.Model.Backend, b))
		}
	}
	return names, nil
}

// sessionRounds runs the sessions of several backends or rounds.
type sessionRounds struct {
	*app
	flags      *Flags
	backends   []string
	turns      []sessionTurn
	conditions []failif.Condition
	printed    *runSession
	runs       [][]record.Run // records per turn, initially of runs not made
}

// runSessions runs one or several sessions.
func (a *app) runSessions(c *cobra.Command, r *Flags) error {
	if err := rejectStrayAudit(r.Rules.Audit); err != nil {
		return err
	}
	if r.Load.Mode == bench.ModeSubmission || shell.FirstChanged(c, "system-type", "workspace") != "" {
		if err := r.Goal.ApplyGoal(c, &r.Request); err != nil {
			return sdk.Usage(err)
		}
	}
	conditions, err := shell.ParseConditions(r.failIf)
	if err != nil {
		return err
	}
	backends, err := r.parseBackends()
	if err != nil {
		return err
	}
	if r.repeat < 1 {
		return sdk.Usage(fmt.Errorf("--repeat %d: want 1 or more", r.repeat))
	}
	s := &sessionRounds{app: a, flags: r, backends: backends, turns: listTurns(backends, r.repeat), conditions: conditions}
	if len(s.turns) == 1 {
		return s.runOnce(c)
	}
	return s.runAll(c)
}

// runOnce runs the only session.
func (s *sessionRounds) runOnce(c *cobra.Command) error {
	one := &runSession{app: s.app, flags: s.flags, conditions: s.conditions}
	s.flags.Output.Watch = one.newWatch()
	p, err := s.NewPlan(c, s.flags.PluginFlags, s.flags.Request)
	if err != nil {
		return err
	}
	if err := shell.CheckConditions(s.conditions, shell.PlanSubjects(p), false); err != nil {
		return err
	}
	if !s.flags.json {
		PrintLeftOut(s.Stdout, p.Left)
	}
	if s.flags.dryRun {
		return s.dryRun(p)
	}
	one.plan = p
	return RunObserved(s.App, c.Context(), s.flags, func() error { return one.runPlan(c.Context()) })
}

// runAll runs all sessions and compares the backends.
func (s *sessionRounds) runAll(c *cobra.Command) error {
	catalog, err := s.Catalog(c, s.flags.PluginFlags)
	if err != nil {
		return err
	}
	s.flags.Plugins.Catalog = catalog
	if s.flags.Output.Dir == "" {
		s.flags.Output.Dir = s.unusedFolder()
	}
	s.printed = &runSession{app: s.app, flags: s.flags}
	if err := s.checkPlans(c.Context()); err != nil || s.flags.dryRun {
		return err
	}
	defer s.MarkClosed()
	defer s.BeginSeveral()()
	return RunObserved(s.App, c.Context(), s.flags, func() error { return s.makeAll(c.Context()) })
}

// makeAll runs all sessions and writes the report. After a failure or an interrupt it reports the finished runs.
func (s *sessionRounds) makeAll(ctx context.Context) error {
	made := missingFolders(s.flags.Output.Dir)
	before, _ := os.ReadFile(filepath.Join(s.flags.Output.Dir, record.FileName)) // may be missing
	if err := s.saveDocument(); err != nil {
		return err
	}
	for i, t := range s.turns {
		if err := s.runTurn(ctx, i, t); err != nil {
			if i == 0 && !s.printed.begun && exitcode.Of(err) != exitcode.Interrupted {
				return errors.Join(err, s.restoreFolder(made, before))
			}
			return errors.Join(err, s.finishAborted(i, exitcode.Of(err)))
		}
	}
	return s.finishRounds()
}

// restoreFolder restores the output folder if the first session failed before its first test. It removes the folders in
// made and writes before back to result.json.
func (s *sessionRounds) restoreFolder(created []string, before []byte) error {
	path := filepath.Join(s.flags.Output.Dir, record.FileName)
	var err error
	if before != nil {
		err = sdk.Usage(wholefile.Write(path, before, 0o644))
	} else {
		_ = os.Remove(path)
	}
	for _, dir := range created {
		_ = os.Remove(dir) // fails if others have added files
	}
	if s.flags.json {
		err = errors.Join(err, s.writeEnd(s.toDocument(), nil))
	}
	return err
}

// missingFolders returns the missing folders of a path, the deepest first.
func missingFolders(dir string) (all []string) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || d == filepath.Dir(d) {
			return all
		}
		all = append(all, d)
	}
}

// finishAborted writes the report after the session of turn i was aborted.
func (s *sessionRounds) finishAborted(i int, code exitcode.Code) error {
	left := 0
	for _, turn := range s.runs[i:] {
		for j := range turn {
			if turn[j].Status == record.NotRun {
				turn[j].Skip(code)
				left++
			}
		}
	}
	err := s.saveDocument()
	if !s.flags.json && left > 0 {
		fmt.Fprintf(s.Stdout, "%s not made\n", figure.Plural(left, "run"))
	}
	return errors.Join(err, s.writeEnd(s.toDocument(), nil))
}

// toDocument returns the records of all sessions.
func (s *sessionRounds) toDocument() record.Document {
	d := record.NewDocument(slices.Concat(s.runs...))
	d.Suite = s.flags.Model.Name
	if s.flags.repeat > 1 {
		d.Suite += fmt.Sprintf(", %d rounds", s.flags.repeat)
	}
	if len(s.backends) > 1 {
		d.Suite += " on " + strings.Join(s.backends, " and ")
	}
	return d
}

// saveDocument writes the records of all runs to one result.json. It includes runs not made yet, so the file always
// shows what is missing.
func (s *sessionRounds) saveDocument() error {
	return sdk.Usage(record.WriteSuite(s.flags.Output.Dir, s.toDocument()))
}

// unusedFolder returns the first of out, out-2, ... that does not exist.
func (s *sessionRounds) unusedFolder() string {
	dir := "out"
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("out-%d", n)
	}
}

// checkPlans plans all sessions before the first one runs. With --dry-run it prints the plan of each backend.
func (s *sessionRounds) checkPlans(ctx context.Context) error {
	var faults []error
	for i, t := range s.turns {
		p, err := s.planTurn(ctx, t)
		if err == nil && i == 0 && !s.flags.json {
			PrintLeftOut(s.Stdout, p.Left)
		}
		if err == nil && t.round == 1 {
			err = shell.CheckConditions(s.conditions, shell.PlanSubjects(p), len(s.backends) > 1)
		}
		if err == nil {
			err = p.ChooseOut()
		}
		if err == nil && s.flags.dryRun {
			err = s.dryRun(p)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", s.turnName(t), err))
			continue
		}
		s.runs = append(s.runs, s.recordsBelow(t, p.Unmade()))
	}
	_, err := record.ReadSuite(s.flags.Output.Dir)
	return joinWorst(append(faults, sdk.Usage(err)))
}

// recordsBelow returns records of a session with paths relative to the common folder.
func (s *sessionRounds) recordsBelow(t sessionTurn, runs []record.Run) []record.Run {
	records := make([]record.Run, len(runs))
	for i, r := range runs {
		records[i] = recordBelow(r, filepath.ToSlash(t.dir))
	}
	return records
}

// turnName returns a turn's name: "process, round 2 of 7".
func (s *sessionRounds) turnName(t sessionTurn) string {
	round := ""
	if s.flags.repeat > 1 {
		round = fmt.Sprintf("round %d of %d", t.round, s.flags.repeat)
	}
	switch {
	case t.backend == "":
		return round
	case round == "":
		return t.backend
	}
	return t.backend + ", " + round
}

// planTurn returns the plan of a session.
func (s *sessionRounds) planTurn(ctx context.Context, t sessionTurn) (*bench.Plan, error) {
	r := s.flags.Request
	r.Model.Backend, r.Output.Dir = t.backend, filepath.Join(s.flags.Output.Dir, t.dir)
	if len(s.backends) > 1 {
		r.Output.Identity.Point = []string{"backend=" + t.backend}
	}
	if s.flags.repeat > 1 {
		r.Output.Identity.Repeat, r.Output.Identity.Repeats = t.round, s.flags.repeat
	}
	r.Model.BackendOptions = s.backendOptions(t.backend, r.Model.BackendOptions)
	r.Model.SecretSources = s.backendOptions(t.backend, r.Model.SecretSources)
	if r.Load.Mode == "" && t.round > 1 { // accuracy is measured once
		r.Load.Mode = bench.ModePerformance
	}
	r.Output.Watch = s.printed.newWatch()
	r, err := s.CompleteRequest(ctx, s.flags.PluginFlags, r)
	if err != nil {
		return nil, err
	}
	return bench.NewPlan(ctx, r)
}

// backendOptions returns the options for a backend. It omits those with the prefix of another backend, as in
// process:command=...
func (s *sessionRounds) backendOptions(backend string, options []string) []string {
	var own []string
	for _, o := range options {
		name, rest, ok := strings.Cut(o, ":")
		switch {
		case !ok || !slices.Contains(s.backends, name):
			own = append(own, o)
		case name == backend:
			own = append(own, rest)
		}
	}
	return own
}

// runTurn runs the session of turn i. After an INVALID run the series continues; after a failure it stops.
func (s *sessionRounds) runTurn(ctx context.Context, i int, t sessionTurn) error {
	p, err := s.planTurn(ctx, t)
	if err != nil {
		return err
	}
	s.printed.plan = p
	s.printed.header, s.printed.title = t.round > 1, s.turnName(t)
	d, err := p.Run(ctx)
	if len(d.Runs) > 0 {
		s.runs[i] = s.recordsBelow(t, d.Runs)
	}
	if !s.flags.json && s.printed.title == "" {
		fmt.Fprintln(s.Stdout)
	}
	return errors.Join(err, s.saveDocument())
}

// finishRounds compares the first backend with each of the others and judges the conditions.
func (s *sessionRounds) finishRounds() error {
	d := s.toDocument()
	comparisons, err := s.compareBackends()
	if err != nil {
		return err
	}
	if err := s.writeEnd(d, comparisons); err != nil {
		return err
	}
	code := exitcode.Code(d.ExitCode)
	for _, c := range s.conditions {
		err := s.JudgeConditions([]failif.Condition{c}, s.conditionSubjects(c, comparisons), s.flags.json)
		if exitcode.Of(err) == exitcode.Usage {
			return err
		}
		code = exitcode.Worst(code, exitcode.Of(err))
	}
	if code == exitcode.Valid {
		return nil
	}
	return &exitcode.Outcome{Code: code}
}

// compareBackends compares the results in the backends' folders.
func (s *sessionRounds) compareBackends() ([]compare.Comparison, error) {
	var all []compare.Comparison
	for _, b := range s.backends[1:] {
		var sides [2]compare.SideInput
		for i, name := range []string{s.backends[0], b} {
			dir := filepath.Join(s.flags.Output.Dir, name)
			set, err := results.Read(dir)
			if err != nil {
				return nil, err
			}
			sides[i] = compare.SideInput{Name: dir, Set: set}
		}
		c, err := compare.Compare(sides[0], sides[1], nil)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// writeEnd writes the end of the report.
func (s *sessionRounds) writeEnd(d record.Document, comparisons []compare.Comparison) error {
	for _, c := range comparisons {
		shell.ReportComparison(s.Report, c, false)
	}
	if !s.flags.json {
		s.Report.AddRuns(d.Runs)
		for _, c := range comparisons {
			if err := c.WriteText(s.Stdout, false); err != nil {
				return err
			}
		}
		return record.WriteFooter(s.Stdout, s.flags.Output.Dir, d)
	}
	if len(comparisons) == 0 {
		return s.printed.writeEnd(d)
	}
	s.Report.AddRuns(d.Runs)
	return compare.WriteJSON(s.Data, comparisons)
}

// conditionSubjects returns the subjects of a condition: the backends' medians for a change, otherwise each run.
func (s *sessionRounds) conditionSubjects(c failif.Condition, comparisons []compare.Comparison) []failif.Subject {
	if !c.IsChange() {
		return failif.RunSubjects(slices.Concat(s.runs...))
	}
	var all []failif.Subject
	for _, c := range comparisons {
		all = append(all, failif.ComparisonSubjects(c)...)
	}
	return all
}
