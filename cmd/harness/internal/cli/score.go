package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/judge"
	"github.com/plumbline-ml/plumbline/bench/report"
	"github.com/plumbline-ml/plumbline/bench/score"
)

const scoreHelp = `Compute the official metric of an accuracy log, this harness's or the official LoadGen's, and write accuracy.txt
beside it. No model is loaded.

A result.json beside the log says which model ran on which data set; for other logs, name them.`

// scoreFlags are the flags of score.
type scoreFlags struct {
	*pluginFlags
	model, dataset, dtype string
	count                 int
	params                []string
	targets               []string
	expect                string
}

func (a *app) scoreCommand(f *pluginFlags) *cobra.Command {
	s := &scoreFlags{pluginFlags: f}
	c := &cobra.Command{
		Use: "score DIR|FILE", Short: "Compute the official metric of an accuracy log", Long: scoreHelp,
		Args: oneArgument("the directory of a run, or an accuracy log"),
		RunE: func(c *cobra.Command, args []string) error { return a.score(c, s, args[0]) },
	}
	c.Flags().StringVar(&s.model, "benchmark", "", "`MODEL` that the log is of (default: as in result.json)")
	c.Flags().StringVar(&s.dataset, "dataset", "", "`PATH` of the data set that ran, a folder or a file (default: as in result.json, else the plugin's own)")
	c.Flags().StringVar(&s.dtype, "dtype", "", "element type of the log's payloads, such as float32: short for --param dtype=`TYPE`")
	c.Flags().IntVar(&s.count, "count", 0, "only the first `N` samples of the data set ran")
	c.Flags().StringArrayVar(&s.params, "param", nil, "an option of the benchmark: `KEY=VALUE` (repeatable)")
	wantedFlags(c.Flags(), &s.targets, &s.expect)
	return c
}

// score scores every log that path means; what fails does not keep the others from being scored.
func (a *app) score(c *cobra.Command, f *scoreFlags, path string) error {
	logs, err := score.Find(path)
	if err != nil {
		return err
	}
	catalog, err := a.catalog(c, f.pluginFlags)
	if err != nil {
		return err
	}
	var faults []error
	var codes []exitcode.Code
	for _, log := range logs {
		ok, err := a.scoreLog(c.Context(), catalog, f, log)
		if err != nil {
			faults, codes = append(faults, err), append(codes, exitcode.Of(err))
		} else if !ok {
			codes = append(codes, exitcode.Accuracy)
		}
	}
	if len(faults) > 0 {
		return exitcode.With(exitcode.Worst(codes...), errors.Join(faults...))
	}
	if worst := exitcode.Worst(codes...); worst != exitcode.Valid {
		return &exitcode.Outcome{Code: worst}
	}
	return nil
}

// scoreLog scores one log and reports whether its accuracy is good enough.
func (a *app) scoreLog(ctx context.Context, catalog *discover.Catalog, f *scoreFlags, log string) (ok bool, err error) {
	origin, err := f.origin(log)
	if err != nil {
		return false, err
	}
	served, err := catalog.Resolve(origin.Model)
	if err != nil {
		return false, err
	}
	wanted, err := bench.ReadWanted(served.Model, f.targets, f.expect)
	if err != nil {
		return false, err
	}
	pl, err := a.Plugins.Launch(ctx, served.Path, f.launch)
	if err != nil {
		return false, err
	}
	defer pl.Close()
	a.onKill(pl.Kill)
	defer a.onKill(nil)
	ctx, cancel := pl.Context(ctx)
	defer cancel()
	s, err := score.Log(ctx, pl, log, sdk.ScoreOptions{
		Model: served.Model.Name, Dataset: origin.Options.Dataset, Count: origin.Options.Count, Params: wanted.Params(origin.Options.Params),
	})
	if err != nil {
		return false, err
	}
	c := judge.Case{
		Model: served.Model, Score: s.Score, Own: origin.Options.Dataset != "", Targets: wanted.Targets,
		Embedded: origin.Workload != nil && origin.Workload.Embedded,
	}
	verdict := judge.Judge(c)
	a.writeScore(served.Model.Name, log, s, verdict)
	return verdict.OK(), exitcode.With(exitcode.Usage, c.Check())
}

// origin says what a log is of: the flags first, then the result.json beside it.
func (f *scoreFlags) origin(log string) (report.Run, error) {
	run := recorded(log)
	if run.Mode != "" && run.Mode != bench.ModeAccuracy && !answers(log) {
		return run, exitcode.With(exitcode.Usage, fmt.Errorf("%s is of a %s run, which kept no answers: name the directory of an accuracy run", log, run.Mode))
	}
	if f.model != "" {
		run.Model = f.model
	}
	if run.Model == "" {
		return run, exitcode.With(exitcode.Usage, fmt.Errorf("%s: no %s beside it says which model ran; name it with --benchmark", log, report.FileName))
	}
	if f.dataset != "" {
		path, err := bench.Dataset(f.dataset)
		if err != nil {
			return run, exitcode.With(exitcode.Data, err)
		}
		run.Options.Dataset = path
	}
	if f.count != 0 {
		run.Options.Count = f.count
	}
	return run, f.addParams(&run)
}

func (f *scoreFlags) addParams(run *report.Run) error {
	texts := f.params
	if f.dtype != "" {
		texts = append(texts, "dtype="+f.dtype)
	}
	params, faults := bench.Pairs("--param", texts)
	if len(faults) > 0 {
		return exitcode.With(exitcode.Usage, errors.Join(faults...))
	}
	if run.Options.Params == nil {
		run.Options.Params = map[string]string{}
	}
	for key, value := range params {
		run.Options.Params[key] = value
	}
	return nil
}

// answers reports whether a log has any. One that cannot be read is left to the scoring, which says why.
func answers(log string) bool {
	f, err := os.Open(log)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }() // opened for reading
	_, err = mllog.NewAccuracyReader(f).Next()
	return !errors.Is(err, io.EOF)
}

// recorded finds the run of a log in the result.json of its directory or of one above it: of the scenario's, which for the log
// of a performance run is two levels up. A log without one, the official LoadGen's say, has an empty record.
func recorded(log string) report.Run {
	dir, err := filepath.Abs(filepath.Dir(log))
	if err != nil {
		return report.Run{}
	}
	for _, d := range []string{dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir))} {
		doc, err := report.Read(filepath.Join(d, report.FileName))
		if err != nil {
			continue
		}
		for _, r := range doc.Runs {
			if strings.HasSuffix(filepath.ToSlash(dir), "/"+r.Dir) {
				return r
			}
		}
	}
	return report.Run{}
}

// writeScore prints a score and writes accuracy.txt. A directory that cannot be written is no failure: the score is on
// the screen.
func (a *app) writeScore(model, log string, s score.Scored, v judge.Verdict) {
	fmt.Fprintf(a.Stdout, "%s  %s\n%s", model, log, s.Text())
	report.WriteVerdict(a.Stdout, v, s.Notes)
	if path, err := s.WriteText(filepath.Dir(log)); err != nil {
		fmt.Fprintf(a.Stderr, "%s is not written: %v\n", path, err)
	}
}
