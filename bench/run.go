package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/output"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// runner makes runs.
type runner struct {
	launcher plugin.Launcher
	launch   host.LaunchOptions
	facts    facts // what every record says
	request  Request
	running  *plugin.Running
	// checked says that the scorer can be opened for answers of the embedded model (true), or of another one (false).
	checked map[bool]bool
	// opened sees the record of each run as soon as the plugin has opened its workload.
	opened func(record.Run)
	// watch shows a running test until the function it returns is called.
	watch func(t PlannedRun, p *loadgen.Progress) (stop func())
}

func newRunner(p *Plan, f facts) *runner {
	return &runner{
		launcher: p.request.Plugins.launcher(), launch: p.Launch, facts: f, request: p.request, running: &p.running,
		checked: map[bool]bool{},
	}
}

// run makes one run and records it. Whatever happens is in the record, the error too; the record's Error is nil where
// the run came to its natural end, whatever its verdict.
func (r *runner) run(ctx context.Context, p *Plan, t PlannedRun) (record.Run, error) {
	rec := r.record(p, t)
	err := r.perform(ctx, p, t, &rec)
	if rec.Effective != nil && !t.Streams && !errors.Is(err, loadgen.ErrLogsLost) { // it has logs, in this folder
		err = errors.Join(err, output.Lost(p.Out, t.Dir))
	}
	files, kept := output.Keep(p.Out, t.Dir)
	rec.Files = files
	err = errors.Join(err, sdk.Usage(kept))
	rec.Finish(err)
	rec.Hide(r.launch.Hide)
	return rec, err
}

// record is the record of a run that has not begun.
func (r *runner) record(p *Plan, t PlannedRun) record.Run {
	rec := record.Run{
		Model: t.Model, Scenario: t.Scenario.String(), Mode: t.ModeName(),
		Profile: string(t.Settings.Profile), Deviations: t.Settings.Deviations, Rules: p.Rules, Pace: p.Pace,
		Audit: filepath.ToSlash(p.auditPath(t)), Test: t.Test,
		Started: r.request.now(), Dir: filepath.ToSlash(t.Dir), Command: r.facts.Command, TuningNote: p.TuningText(),
		Plugin: r.facts.Plugin, System: r.facts.System, Harness: r.facts.Harness,
		LoadGen: p.driver(),
		Stated:  record.Stated{System: p.Stated.System, Note: p.Stated.Note, Precision: p.Stated.Precision},
	}
	if p.Test.Judged {
		rec.TestVerdict = record.TestNotJudged
	}
	rec.RulesKey, rec.LoadGenKey = p.Served.Model.RulesKey, p.Served.Model.LoadGenKey
	rec.FromOptions(p.Shown(p.optionsOf(t)))
	rec.Options.ScorerFiles = p.ScorerFiles
	if t.tuned() {
		rec.Tuning = p.Tuning.File
	}
	for _, n := range t.Settings.Notes {
		rec.Notes = append(rec.Notes, record.Finding{About: "settings", Text: n.String()})
	}
	for _, row := range t.Settings.Rows() {
		rec.Settings = append(rec.Settings, record.Setting{
			Key: row.Key, Value: row.Value, Unit: row.Unit, Origin: row.Origin,
		})
	}
	return rec
}

// skipped are the records of runs that are not made, for what ends with code.
func (r *runner) skipped(p *Plan, runs []PlannedRun, code exitcode.Code) []record.Run {
	records := make([]record.Run, len(runs))
	for i, t := range runs {
		records[i] = r.record(p, t)
		records[i].Skip(code)
		records[i].Hide(r.launch.Hide)
	}
	return records
}

func (r *runner) perform(ctx context.Context, p *Plan, t PlannedRun, rec *record.Run) error {
	return r.launched(ctx, p, t, func(ctx context.Context, pl plugin.Plugin) error {
		err := r.opening(ctx, pl, p, t, rec, func(sut loadgen.SUT, qsl loadgen.QSL) error {
			if err := r.scorable(ctx, pl, p, p.Embedded && answeredByEmbedded(rec)); err != nil {
				return err
			}
			return r.test(ctx, p, t, rec, sut, qsl)
		})
		if err != nil || t.Mode != loadgen.AccuracyOnly {
			return err
		}
		return r.score(ctx, pl, p, t, rec)
	})
}

// launched runs use with a plugin that is started for it, and with a context that ends where the plugin fails.
func (r *runner) launched(ctx context.Context, p *Plan, t PlannedRun,
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
	return because(pctx, use(pctx, pl))
}

// launchOptions lets the plugin print to a log, and inherit what options of its backend name (key_env).
func (r *runner) launchOptions(p *Plan, printed io.Writer) host.LaunchOptions {
	o := inherit(r.launch, p.Options.BackendOptions)
	o.Stderr = printed
	return o
}

// inherit lets the plugin inherit the variables that options of its backend name.
func inherit(o host.LaunchOptions, options map[string]string) host.LaunchOptions {
	o.Inherit = slices.Concat(o.Inherit, named(options))
	return o
}

// named are the variables that options name: the values of those that end in _env.
func named(options map[string]string) []string {
	var names []string
	for _, option := range slices.Sorted(maps.Keys(options)) {
		if name := options[option]; strings.HasSuffix(option, "_env") && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// opening opens the workload, runs use on it and closes it.
func (r *runner) opening(ctx context.Context, pl plugin.Plugin, p *Plan, t PlannedRun, rec *record.Run,
	use func(loadgen.SUT, loadgen.QSL) error) (err error) {
	w, err := pl.Open(ctx, p.optionsOf(t))
	if err != nil {
		return exitcode.OrData(fmt.Errorf("opening %s: %w", t.Model, err))
	}
	sut, qsl := w.SUT(), w.QSL()
	rec.FromWorkload(w.Info(), sut.Name(), qsl.Name())
	defer func() {
		if failed := closeWorkload(ctx, pl, w); failed != nil && err == nil {
			rec.Notes = append(rec.Notes, record.Finding{
				About: "close", Text: fmt.Sprintf("Closing the workload failed after the run: %v.", failed),
			})
		}
		rec.Workload.AtEnd(w.Info())
		rec.FromRemarks(w.Info().Remarks)
		err = errors.Join(err, label(rec, p, w.Info()))
	}()
	if err := label(rec, p, w.Info()); err != nil {
		return err
	}
	if p.File != nil {
		rec.Workload.ModelNote = p.File.Note
	}
	if sum := r.facts.DatasetSHA256; sum != "" {
		rec.Workload.DatasetSHA256, rec.Workload.DatasetNote = sum, checksum.DatasetNote
	}
	rec.Hide(r.launch.Hide)
	r.opened(*rec)
	return use(sut, qsl)
}

// test runs LoadGen on the workload.
func (r *runner) test(ctx context.Context, p *Plan, t PlannedRun, rec *record.Run, sut loadgen.SUT,
	qsl loadgen.QSL) error {
	progress := new(loadgen.Progress)
	defer r.watch(t, progress)()
	log := loadgen.LogSettings{
		OutDir: filepath.Join(p.Out, t.Dir), EnableTrace: r.request.Trace, Progress: progress,
		Audit: p.auditPath(t), AbortEarly: r.request.AbortEarly, Spin: p.Pace == PacePrecise,
		Record: r.recorder(rec),
	}
	if t.Streams {
		return searchStreams(ctx, sut, qsl, p.Rules, t, log, rec)
	}
	measured, err := startPower(ctx, p.Power, t)
	if err != nil {
		return err
	}
	defer chooseProcessors(t.Scenario, p.LoadGen != nil, r.request.KeepProcessors)()
	res, err := p.startTest(ctx, sut, qsl, t.Settings.TestSettings, log)
	if res != nil {
		rec.FromResult(res)
	}
	err = errors.Join(err, measured.finish(ctx, log.OutDir, rec))
	if err == nil {
		err = p.takePowerLogs(t)
	}
	return err
}

// searchStreams looks for the largest samples_per_query, which must pass as many runs as the rules ask for.
func searchStreams(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, rules string, t PlannedRun,
	log loadgen.LogSettings, rec *record.Run) error {
	round, err := mlconf.Round(rules)
	if err != nil {
		return err
	}
	found, err := loadgen.SearchStreams(ctx, sut, qsl, t.Settings.TestSettings, log,
		loadgen.StreamSearch{Runs: round.Runs(t.Scenario.String())})
	if found != nil {
		rec.FromStreams(found)
	}
	return err
}

// scorable opens the scorer, once in a plan with accuracy runs, and once more where another model answers than before:
// what is missing of tokenizers, models and references is told before the first run, not after hours of it. The
// workload is open by then: it has said all that is wrong with the data set.
func (r *runner) scorable(ctx context.Context, pl plugin.Plugin, p *Plan, embedded bool) error {
	accuracy := slices.ContainsFunc(p.Runs, func(t PlannedRun) bool { return t.Mode == loadgen.AccuracyOnly })
	if !accuracy || r.checked[embedded] {
		return nil
	}
	if err := p.scoring().Check(ctx, pl, embedded); err != nil {
		return exitcode.OrData(fmt.Errorf("%w (looked at before the first run; --mode %s makes no accuracy run)", err,
			ModePerformance))
	}
	r.checked[embedded] = true
	return nil
}

// answeredByEmbedded says whether the plugin's own model gave the answers, and none at a server.
func answeredByEmbedded(r *record.Run) bool {
	return r.Workload != nil && r.Workload.Embedded && r.Network == nil
}

// score computes the accuracy of the log that the run wrote.
func (r *runner) score(ctx context.Context, pl plugin.Plugin, p *Plan, t PlannedRun, rec *record.Run) error {
	if err := output.Lost(p.Out, t.Dir); err != nil {
		return err
	}
	dir := filepath.Join(p.Out, t.Dir)
	scoring := p.scoring()
	s, err := scoring.Log(ctx, pl, filepath.Join(dir, mllog.AccuracyFile), p.Embedded && answeredByEmbedded(rec))
	if err != nil {
		return exitcode.OrData(err)
	}
	if _, err := s.WriteText(dir); err != nil {
		return sdk.Usage(err)
	}
	if err := errors.Join(s.WriteFiles(dir), s.WriteExhibits(dir)); err != nil {
		return sdk.Usage(err)
	}
	// A backend that has its own model (a server) says that the embedded one does not run.
	v, fault := scoring.Judge(s.Score, p.Embedded && rec.Workload != nil && rec.Workload.Embedded)
	rec.Accuracy = record.NewAccuracy(v, s.Score, s.SHA256)
	return fault
}

// because prefers the reason why ctx ended, a plugin's failure or the user's interrupt, over what followed from it.
func because(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var failed *host.Error
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
