package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// runTest runs LoadGen on the workload.
func (r *runner) runTest(ctx context.Context, p *plan.Plan, t plan.Run, rec *record.Run, sut loadgen.SUT,
	qsl loadgen.QSL) error {
	progress := new(loadgen.Progress)
	defer r.watch(t, progress)()
	log := loadgen.LogSettings{
		OutDir: filepath.Join(p.Out, t.Dir), EnableTrace: r.request.Output.Trace, Progress: progress,
		Audit: p.AuditPath(t), AbortEarly: r.request.Load.AbortEarly, Spin: p.Pace == plan.PacePrecise,
		Record: r.newRecorder(p, rec),
	}
	if t.Mode != loadgen.AccuracyOnly {
		seen := r.watchOthers(progress)
		defer func() { seen(rec) }()
	}
	if t.Streams {
		return searchStreams(ctx, sut, qsl, p.Rules, t, log, rec)
	}
	measured, err := startPower(ctx, p.Power, t)
	if err != nil {
		return err
	}
	defer chooseProcessors(t.Scenario, p.LoadGen != nil, r.request.Load.KeepProcessors)()
	res, err := startTest(ctx, p, sut, qsl, t.Settings.TestSettings, log)
	if res != nil {
		rec.FromResult(res)
	}
	err = errors.Join(err, measured.finish(ctx, log.OutDir, rec))
	if err == nil {
		err = takePowerLogs(p, t)
	}
	return err
}

// searchStreams searches for the largest samples_per_query that passes as many runs as the rules require.
func searchStreams(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, rules string, t plan.Run,
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

// newRecorder returns a function that writes the measurements of a timed run to its folder. It adds a note to the
// record if the export is incomplete.
func (r *runner) newRecorder(p *plan.Plan, rec *record.Run) func(loadgen.Recording, string) error {
	return func(measured loadgen.Recording, dir string) error {
		faults := []error{series.Write(measured, dir)}
		s := export.Of(measured, r.request.Output.ExportRows).Named(r.hideSecrets(rec.Name()))
		exports := p.Exports()
		for _, f := range exports {
			faults = append(faults, writeExport(f, s, dir))
		}
		if len(exports) > 0 && s.Step() > 1 {
			rec.Notes = append(rec.Notes, record.Finding{About: "export", Text: fmt.Sprintf(
				"The run has %s samples: the export lists every %dth query. --export-rows %d has room for all.",
				figure.Count(uint64(measured.Samples())), s.Step(), measured.Samples())})
		}
		return errors.Join(faults...)
	}
}

// hideSecrets returns text without secrets.
func (r *runner) hideSecrets(text string) string {
	if r.launch.Hide == nil {
		return text
	}
	return r.launch.Hide(text)
}

// writeExport writes the samples in one format. It removes an incomplete file.
func writeExport(f export.Format, s export.Samples, dir string) error {
	file, err := wholefile.Create(filepath.Join(dir, f.Name), 0o644)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Write(file, s), file.Close()); err != nil {
		return errors.Join(fmt.Errorf("exporting %s: %w", f.Name, err), os.Remove(file.Name()))
	}
	return nil
}

// startTest starts the test with the plan's LoadGen or, by default, with loadgen.StartTest.
func startTest(ctx context.Context, p *plan.Plan, sut loadgen.SUT, qsl loadgen.QSL, s loadgen.TestSettings,
	l loadgen.LogSettings) (*loadgen.Result, error) {
	if p.LoadGen == nil {
		return loadgen.StartTest(ctx, sut, qsl, s, l)
	}
	return p.LoadGen.StartTest(ctx, sut, qsl, s, l)
}

// loadGenRecord returns the description of the LoadGen for results; nil: package loadgen.
func loadGenRecord(p *plan.Plan) *record.LoadGen {
	if p.LoadGen == nil {
		return nil
	}
	b := p.LoadGen.Build()
	return &record.LoadGen{
		Name: plan.LoadGenOfficial, Version: b.Version, SHA256: b.SHA256, Release: b.Release, Unmodified: b.Unmodified(),
	}
}

// chooseProcessors limits Go to the processors that a run with this LoadGen needs, unless keep is true. undo restores
// the previous number.
//
// If queries are processed one at a time, one processor is enough: an answer passes from the thread that waits for it
// to the goroutine that issues the next query. With several processors, each step wakes another thread on cores that
// the model is about to use. The official LoadGen is different: while it measures time or waits for its logs, its
// thread keeps a processor until Go's runtime notices, so it gets a processor of its own.
func chooseProcessors(s loadgen.Scenario, official, keep bool) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	wanted := before
	switch {
	case keep:
	case s == loadgen.SingleStream:
		wanted = 1
	case official && s != loadgen.MultiStream:
		wanted = max(before, 2)
	}
	if wanted == before {
		return func() {}
	}
	runtime.GOMAXPROCS(wanted)
	return func() { runtime.GOMAXPROCS(before) }
}
