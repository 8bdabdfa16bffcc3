package runs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/suite"
	"github.com/plumbline-ml/plumbline/internal/failif"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
)

// suiteRun runs a suite.
type suiteRun struct {
	*app
	suite.Suite
	flags   *Flags
	catalog *discover.Catalog
	jobs    []suiteJob
	printed *runSession
	earlier record.Document // the suite's result.json before this run

	started time.Time
	spent   map[int]time.Duration // by entry index
	results []suiteResult
	tasks   []mlmark.TaskDocument
	outcome shell.RunOutcomes
}

// suiteJob is a job with its request and its runs.
type suiteJob struct {
	suite.Job
	request bench.Request
	steps   []campaign.Step
	results []int              // indices of the steps' results in suiteRun.results
	bench   *serving.ServerJob // measurement of a server instead of steps; nil: none
	planned []failif.Subject
}

// suiteResult is the result of a run of a job. It exists from the start.
type suiteResult struct {
	job          suite.Job
	run          record.Run
	unmadeRecord record.Run   // record to use while the run is not made
	unmadeReason string       // reason why the run was not made; empty: it was made
	failed       bool         // the run failed, and its error was reported
	isLoopTask   bool         // a task without LoadGen, which has its own document instead of a record
	points       []record.Run // records of a measured server, one per load, instead of run
}

// allRecords returns all records of the result.
func (r suiteResult) allRecords() []record.Run {
	if r.job.Server != "" {
		return r.points
	}
	return []record.Run{r.run}
}

// interruptedReason is the reason for runs that were not made because of an interrupt.
const interruptedReason = "interrupted"

// isMeasured reports whether the result is a task with a document.
func (r suiteResult) isMeasured() bool { return r.isLoopTask && r.unmadeReason == "" }

// suiteCommandFlags lists the flags allowed on the command line with a suite. All others belong in its file.
var suiteCommandFlags = append([]string{
	"out", "force", "dry-run", "quiet", "json", "events", "metrics", "web", "otlp", "fail-if",
}, shell.CIFlagNames...)

// runSuite runs the suite in a file.
func (a *app) runSuite(c *cobra.Command, r *Flags, file string) error {
	listed, err := suite.ReadSuite(file)
	err = errors.Join(rejectRunFlags(c), err)
	if err != nil && len(listed.Jobs) == 0 {
		return sdk.Usage(err)
	}
	return a.runJobs(c, r, listed, err)
}

// runConfigs runs the tasks in MLMark configurations with the command line's flags.
func (a *app) runConfigs(c *cobra.Command, r *Flags, files []string) error {
	others := slices.Clone(suiteCommandFlags)
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { others = append(others, f.Name) })
	listed, err := suite.NewConfigSuite(files, suite.ListFlags(c.Flags(), others))
	if err != nil {
		return sdk.Usage(err)
	}
	return a.runJobs(c, r, listed, nil)
}

// runJobs plans all jobs of a suite, runs the missing ones, and reports. If the file has faults (known) or planning
// fails, it reports all of these faults and runs nothing.
func (a *app) runJobs(c *cobra.Command, r *Flags, listed suite.Suite, known error) error {
	conditions, err := shell.ParseConditions(r.failIf)
	faults := []error{sdk.Usage(known), sdk.Usage(rejectStrayAudit("")), err}
	s := &suiteRun{
		app: a, Suite: listed, flags: r, spent: map[int]time.Duration{}, printed: &runSession{app: a, flags: r},
	}
	if r.Output.Dir != "" {
		s.Out = r.Output.Dir
	}
	s.earlier, err = record.ReadSuite(s.Out)
	faults = append(faults, sdk.Usage(err))
	if s.catalog = r.Plugins.Catalog; s.catalog == nil {
		s.catalog, err = a.Catalog(c, r.PluginFlags)
	}
	if err == nil {
		err = s.planJobs(c.Context())
	}
	if err == nil {
		err = s.checkConditions(conditions)
	}
	if err := joinWorst(append(faults, err)); err != nil {
		return err
	}
	if s.Independent {
		s.reportBroken()
	}
	if r.dryRun {
		return errors.Join(s.listRuns(), s.outcome.Err())
	}
	defer a.BeginSeveral()()
	return RunObserved(a.App, c.Context(), r, func() error {
		if err := s.saveDocument(); err != nil {
			return err
		}
		err := s.runJobs(c.Context())
		if err := errors.Join(err, s.finishReport(), s.judgeConditions(conditions)); err != nil {
			return err
		}
		return s.outcome.Err()
	})
}

// checkConditions requires that at least one planned run can meet each condition. If a job could not be planned, its
// figures are unknown, so the caller reports the plan's faults instead.
func (s *suiteRun) checkConditions(conditions []failif.Condition) error {
	var planned []failif.Subject
	for _, j := range s.jobs {
		planned = append(planned, j.planned...)
	}
	return shell.CheckConditions(conditions, planned, false)
}

// judgeConditions judges the conditions on all runs of the suite. It skips them after an interrupt, because runs are
// missing.
func (s *suiteRun) judgeConditions(conditions []failif.Condition) error {
	if s.outcome.Has(exitcode.Interrupted) {
		return nil
	}
	var runs []record.Run
	for _, r := range s.results {
		if r.unmadeReason == "" && !r.isLoopTask {
			runs = append(runs, r.allRecords()...)
		}
	}
	err := s.JudgeConditions(conditions, failif.RunSubjects(runs), s.flags.json)
	if exitcode.Of(err) == exitcode.Invalid {
		s.outcome.Add(exitcode.Invalid)
		return nil
	}
	return err
}

// rejectRunFlags returns an error for each flag that belongs in the suite file.
func rejectRunFlags(c *cobra.Command) error {
	var faults []error
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(suiteCommandFlags, f.Name) && c.InheritedFlags().Lookup(f.Name) == nil {
			faults = append(faults, fmt.Errorf("--%s: write it into the suite, under defaults for all of its runs", f.Name))
		}
	})
	return errors.Join(faults...)
}

// planJobs plans all jobs before the first one runs. A job that cannot be planned prevents all, unless the suite is
// Apart.
func (s *suiteRun) planJobs(ctx context.Context) error {
	var faults []error
	for _, j := range s.Jobs {
		job, err := s.planJob(ctx, j)
		if err != nil {
			faults = append(faults, exitcode.Mark(exitcode.Of(err), fmt.Errorf("%v: %w", j, err)))
		}
		s.jobs = append(s.jobs, job)
	}
	if !s.Independent || len(faults) == len(s.Jobs) {
		return joinWorst(faults)
	}
	for _, err := range faults {
		s.outcome.Add(exitcode.Of(err))
		s.PrintError(err)
	}
	return nil
}

// joinWorst joins errors and sets the worst exit code.
func joinWorst(faults []error) error {
	o := shell.RunOutcomes{}
	for _, err := range faults {
		o.Fault(err)
	}
	return o.Err()
}

func (s *suiteRun) planJob(ctx context.Context, j suite.Job) (suiteJob, error) {
	job := suiteJob{Job: j}
	if j.Server != "" {
		return s.planBench(job)
	}
	r, err := JobRequest(j)
	if err != nil {
		return job, sdk.Usage(err)
	}
	if j.Task != nil {
		if err := taskRequest(*j.Task, &r); err != nil {
			return job, sdk.Usage(err)
		}
	}
	r.Output.Identity, r.Data.CountAtMost = j.Identity(r.Output.Identity.Label), s.MixedSizes
	r.Output.Dir, r.Output.Force, r.Output.Watch = filepath.Join(s.Out, filepath.FromSlash(j.Folder)),
		s.flags.Output.Force, s.printed.newWatch()
	if job.request, err = s.CompleteRequest(ctx, s.flags.PluginFlags, r); err != nil {
		return job, err
	}
	job.request.Plugins.Catalog = s.catalog
	p, err := bench.NewPlan(ctx, job.request)
	if err != nil {
		return job, err
	}
	if j.Task == nil || j.Task.Mode == mlmark.Accuracy {
		job.planned = shell.PlanSubjects(p)
	}
	for i, unmade := range p.Unmade() {
		if p.Runs[i].Ranging { // made together with the run that it prepares
			continue
		}
		unmade = recordBelow(unmade, j.Folder)
		job.steps = append(job.steps, campaign.Step{Scenario: unmade.Scenario, Mode: unmade.Mode})
		job.results = append(job.results, len(s.results))
		s.results = append(s.results, suiteResult{
			job: j, run: s.earlierRecord(unmade), unmadeRecord: unmade, unmadeReason: interruptedReason,
			isLoopTask: j.Task != nil && j.Task.Mode != mlmark.Accuracy,
		})
	}
	return job, nil
}

// earlierRecord returns the existing record of a run in the suite's result.json. It returns unmade if there is no such
// record or all runs must be repeated.
func (s *suiteRun) earlierRecord(unmade record.Run) record.Run {
	for _, rec := range s.earlier.Runs {
		if rec.Same(unmade) && rec.Dir == unmade.Dir && !s.flags.Output.Force {
			rec.Identity = unmade.Identity // the label may have changed
			return rec
		}
	}
	return unmade
}

// JobRequest converts the flags of a job to a request.
func JobRequest(j suite.Job) (bench.Request, error) {
	r := bench.Request{Model: bench.Model{Name: j.Model}}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	AddModelFlags(flags, &r)
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	var faults []error
	for _, f := range j.Flags {
		switch {
		case slices.Contains(suiteCommandFlags, f.Name):
			faults = append(faults, fmt.Errorf("%s: is given on the command line, for the whole suite", f.Name))
		case flags.Lookup(f.Name) == nil && slices.Contains(j.Defaults, f.Name) &&
			slices.Contains(serving.FlagNames(), f.Name): // for entries that measure a server
		case flags.Lookup(f.Name) == nil:
			faults = append(faults, suggest.Unknown("flag of harness run", f.Name, names))
		default:
			if err := flags.Set(f.Name, f.Value); err != nil {
				faults = append(faults, shell.ExplainFlagError(err))
			}
		}
	}
	return r, errors.Join(faults...)
}

// listRuns prints the runs of the suite.
func (s *suiteRun) listRuns() error {
	fmt.Fprintf(s.Stdout, "%s: results go to %s\n\n", s.Name, s.Out)
	t := table.Table{}
	for _, j := range s.jobs {
		if j.bench != nil {
			for _, load := range j.bench.Loads() {
				t.Row(j, load, j.Folder)
			}
		}
		for _, step := range j.steps {
			kind := step.String()
			if j.Task != nil {
				kind = j.Task.String()
			}
			t.Row(j, kind, j.Folder)
		}
	}
	if _, err := t.WriteTo(s.Stdout); err != nil || len(s.Benchmarks) == 0 {
		return err
	}
	return s.writeLeft()
}

// runJobs runs the jobs in order. It continues after a failure.
func (s *suiteRun) runJobs(ctx context.Context) error {
	s.started = s.Now()
	entry := -1
	for _, j := range s.jobs {
		s.printed.header = s.printed.header && j.Entry == entry
		entry = j.Entry
		if err := s.runJob(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// runJob runs a job. It only returns errors of the suite's result.json.
func (s *suiteRun) runJob(ctx context.Context, j suiteJob) error {
	if j.bench != nil {
		return s.runBench(ctx, j)
	}
	c := campaign.Campaign{Request: j.request, Run: s.printed.makeRuns, OnKept: s.printed.printRow}
	for i, step := range j.steps {
		r := &s.results[j.results[i]]
		if r.unmadeReason = s.skipReason(ctx, j.Job); r.unmadeReason != "" {
			continue
		}
		if i == 0 {
			s.beginJob(ctx, &c, j)
		}
		began := s.Now()
		if j.Task != nil {
			s.makeTask(ctx, j, r)
		} else {
			rec, err := c.MakeRun(ctx, step)
			s.storeOutcome(j, r, rec, err)
		}
		s.spent[j.Entry] += s.Now().Sub(began)
		if err := s.saveDocument(); err != nil {
			return err
		}
	}
	return nil
}

// beginJob prints the next job and enters its folder.
func (s *suiteRun) beginJob(ctx context.Context, c *campaign.Campaign, j suiteJob) {
	if !s.flags.json {
		fmt.Fprintf(s.Stdout, "\n%v\n", j)
	}
	if j.Task == nil && j.bench == nil {
		_ = c.RecordPlanned(ctx, j.steps) // the first run reports an error of the folder
	}
}

// storeOutcome stores a run's record, its error, or both.
func (s *suiteRun) storeOutcome(j suiteJob, r *suiteResult, rec record.Run, err error) {
	code := exitcode.Of(err)
	switch {
	case rec.Model != "":
		rec.Identity = r.unmadeRecord.Identity // the label of an existing run may have changed
		r.run, code = recordBelow(rec, j.Folder), exitcode.Worst(code, exitcode.Code(rec.ExitCode))
	case code == exitcode.Interrupted:
		r.unmadeReason = interruptedReason
	default:
		r.unmadeReason, r.failed, r.run = "it could not be made", true, r.unmadeRecord
		r.run.Skip(code)
	}
	if code != exitcode.Valid {
		s.outcome.Add(code)
	}
	if err != nil {
		s.PrintError(fmt.Errorf("%v: %w", j, err))
	}
}

// skipReason returns the reason why the job gets no further run, or "".
func (s *suiteRun) skipReason(ctx context.Context, j suite.Job) string {
	switch {
	case ctx.Err() != nil:
		return interruptedReason
	case s.Budget > 0 && s.Now().Sub(s.started) >= s.Budget:
		return "the suite's budget is spent"
	case j.Budget > 0 && s.spent[j.Entry] >= j.Budget:
		return "the budget is spent"
	}
	return ""
}

// toDocument returns the records of all runs.
func (s *suiteRun) toDocument() record.Document {
	var runs []record.Run
	for _, r := range s.results {
		if !r.isMeasured() {
			runs = append(runs, r.allRecords()...)
		}
	}
	d := record.NewDocument(runs)
	d.Suite = s.Name
	d.Benchmarks = []record.Benchmark{}
	for _, r := range s.benchmarkRows() {
		d.Benchmarks = append(d.Benchmarks, r.Benchmark)
	}
	return d
}

// saveDocument writes the records of all runs to one result.json. It includes runs not made yet, so the file always
// shows what is missing.
func (s *suiteRun) saveDocument() error { return sdk.Usage(record.WriteSuite(s.Out, s.toDocument())) }

// finishReport writes the table of the suite, or the whole report as JSON.
func (s *suiteRun) finishReport() error {
	left := 0
	for _, r := range s.results {
		if r.unmadeReason != "" && !r.failed {
			left += max(1, len(r.points))
		}
	}
	if left > 0 {
		s.outcome.Add(exitcode.Interrupted)
	}
	s.Report.AddRuns(s.toDocument().Runs)
	if s.flags.json {
		text, err := s.toDocument().JSON()
		if err == nil {
			_, err = s.Data.Write(text)
		}
		return errors.Join(err, s.writeTasks(), s.writePage())
	}
	return errors.Join(s.writeTable(left), s.writeTasks(), s.writeBenchmarks(), s.writePage())
}

// writePage writes the page of all runs into the suite's folder and prints its path. A suite with only tasks has no
// page.
func (s *suiteRun) writePage() error {
	if len(s.toDocument().Runs) == 0 {
		return nil
	}
	path, err := page.WriteFolder(s.Out, shell.Version().Version)
	if err == nil && !s.flags.json {
		_, err = fmt.Fprintf(s.Stdout, "\n%s\n", path)
	}
	return err
}

// recordBelow returns a record with paths relative to a parent of its folder.
func recordBelow(r record.Run, folder string) record.Run {
	r.Dir = path.Join(folder, r.Dir)
	files := slices.Clone(r.Files)
	for i := range files {
		files[i].Path = path.Join(folder, files[i].Path)
	}
	r.Files = files
	return r
}

// NewSuiteCommand returns harness new suite.
func NewSuiteCommand(a *shell.App) *cobra.Command {
	return &cobra.Command{
		Use: "suite FILE", Short: "Write a suite to start from, with a matrix, repeats and time budgets",
		Example: "  harness new suite nightly.yaml",
		Args:    shell.RequireOneArgument("the file to write, which ends in .yaml"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := suite.WriteTemplate(args[0]); err != nil {
				return sdk.Usage(err)
			}
			_, err := fmt.Fprintf(a.Stdout, "%s\n\n  harness run %s --dry-run\n  harness run %s\n", args[0], args[0], args[0])
			return err
		},
	}
}
