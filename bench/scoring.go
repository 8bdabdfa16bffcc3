package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/flagtext"
	"github.com/plumbline-ml/plumbline/bench/internal/form"
	"github.com/plumbline-ml/plumbline/bench/internal/score"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// ScoreRequest selects the accuracy logs to score, written by this harness or by the official LoadGen. If a field is
// empty, the result.json of the log's run determines it.
type ScoreRequest struct {
	Plugins Plugins
	Path    string   // a log, the directory of a run, or a directory above several of them
	Model   string   // the model of the logs
	Dataset string   // path of the data set that ran; empty, without a result.json: the plugin's own
	Test    string   // the compliance test of the logs; empty: as in result.json, else an accuracy run
	Count   int      // only the first samples of the data set ran; 0: all
	Params  []string // key=value: parameters of the benchmark, in addition to those of result.json
	DType   string   // element type of the logs' payloads, for the benchmark's parameter; empty: as in Params
	Targets []string // metric=value: the minimum, instead of the rules' target
	Expect  string   // path of a file of expected answers; empty: none
	// ScorerModels contains the models that the scorer runs, as PART=PATH. Files finds files of a manifest, as for a
	// Request.
	ScorerModels []string
	Files        Files
	// Rules is the round whose submission files are written next to the log; empty: as in result.json, else the newest.
	Rules string
	// Scoring, if not nil, is called often while a scorer reads a log.
	Scoring func(read, size int64)
	// Done, if not nil, is called with each score as soon as it is known.
	Done func(Scored)
	// Running, if not nil, receives a function that ends the plugin immediately when a plugin is started, and nil when it
	// is closed.
	Running func(kill func())
}

// Scored is the metric of one log.
type Scored struct {
	Log, Model   string
	Described    sdk.ModelInfo // the model, as its plugin describes it
	Score        sdk.Score
	Verdict      judge.Verdict // comparison with the targets
	OfficialText string        // the contents of accuracy.txt
	Unwritten    error         // why accuracy.txt was not written; nil: it was. A full disk is also Score's error
	// Unformed is the reason why the files of the endpoints harness still contain the earlier score; nil: they contain
	// this score or do not exist.
	Unformed error
}

// Score scores every log at the path and writes accuracy.txt to each log's folder. A log that cannot be scored does not
// stop the others: Score returns their scores together with an error that lists every fault.
func Score(ctx context.Context, r ScoreRequest) ([]Scored, error) {
	logs, err := results.AccuracyLogs(r.Path)
	if err != nil {
		return nil, sdk.Data(err)
	}
	catalog, err := r.Plugins.Discover(ctx)
	if err != nil {
		return nil, err
	}
	var all []Scored
	var faults []error
	for _, log := range logs {
		s, err := r.scoreLog(ctx, catalog, log)
		if s.Log != "" {
			all = append(all, s)
		}
		faults = append(faults, err)
	}
	return all, exitcode.Join(faults)
}

// findModel finds the model of a log. If only the name of a folder identifies it, that name is one of the rules'
// benchmarks: "3d-unet-99".
func (r ScoreRequest) findModel(catalog *discover.Catalog, origin record.Run) (discover.Served, error) {
	served, err := catalog.Resolve(origin.Model)
	if err == nil || origin.Place == nil || r.Model != "" {
		return served, err
	}
	rules, ruleErr := mlconf.Round("")
	if ruleErr != nil {
		return served, ruleErr
	}
	key, _ := rules.ModelOf(origin.Model, nil)
	for _, fits := range []func(string) bool{
		func(k string) bool { return k == key },
		func(k string) bool { return mlconf.Family(k) == mlconf.Family(key) },
	} {
		for _, e := range catalog.Entries {
			for _, m := range e.Description.Models {
				if e.Err == nil && m.RulesKey != "" && fits(m.RulesKey) {
					return discover.Served{Entry: e, Model: m}, nil
				}
			}
		}
	}
	return served, sdk.Usage(fmt.Errorf("no %s says which model ran, and no model is of a benchmark called %s, as the "+
		"folder is; name it with --benchmark", record.FileName, origin.Model))
}

// scoreLog scores one log.
func (r ScoreRequest) scoreLog(ctx context.Context, catalog *discover.Catalog, log results.AccuracyLog) (Scored,
	error) {
	origin, err := r.describeOrigin(log)
	if err != nil {
		return Scored{}, err
	}
	asked := r.ScorerModels
	if len(asked) == 0 && r.Model == "" { // parameters of the log's run
		for part, path := range origin.Options.ScorerFiles {
			asked = append(asked, part+"="+path)
		}
	}
	served, err := r.findModel(catalog, origin)
	if err == nil {
		err = r.setElementType(served.Model, origin.Options.Params)
	}
	if err != nil {
		return Scored{}, err
	}
	scoring := score.Scoring{
		Model: served.Model, Dataset: origin.Options.Dataset, Count: origin.Options.Count, Params: origin.Options.Params,
		Test: cmp.Or(r.Test, origin.Test), Rules: cmp.Or(r.Rules, origin.Rules), Progress: r.Scoring,
	}
	scoring.Wanted, scoring.Files, err = score.Ask{
		Targets: r.Targets, Expect: r.Expect, ScorerModels: asked, Files: r.Files,
		Own: scoring.Dataset != "",
	}.Read(served.Model)
	if err != nil {
		return Scored{}, err
	}
	s, err := r.scoreWithPlugin(ctx, served, log.Path, scoring, origin.AnsweredByEmbedded())
	if err != nil {
		return Scored{}, err
	}
	verdict, fault := scoring.Judge(s.Score, origin.Workload != nil && origin.Workload.Embedded)
	done := Scored{
		Log: log.Path, Model: served.Model.Name, Described: served.Model, Score: s.Score, Verdict: verdict,
		OfficialText: s.Text(),
	}
	dir := filepath.Dir(log.Path)
	if path, err := s.WriteText(dir); err != nil {
		done.Unwritten = fmt.Errorf("%s is not written: %w", path, err)
	} else if err := errors.Join(s.WriteFiles(dir), s.WriteExhibits(dir)); err != nil {
		done.Unwritten = fmt.Errorf("answers to hand in or to look at are not written: %w", err)
	}
	done.Unformed = form.RewriteAccuracy(log.Path, served.Model)
	if r.Done != nil {
		r.Done(done)
	}
	if sdk.OutOfSpace(done.Unwritten) {
		return done, errors.Join(done.Unwritten, fault)
	}
	return done, fault
}

// setElementType sets the model's parameter for the element type of payloads.
func (r ScoreRequest) setElementType(m sdk.ModelInfo, params map[string]string) error {
	if r.DType == "" {
		return nil
	}
	name := m.ParamOf(sdk.RoleElement)
	if name == "" {
		return sdk.Usage(fmt.Errorf("--dtype: %s has no option for the element type of its payloads", m.Name))
	}
	_, faults := flagtext.ParsePairs("--param", append(slices.Clip(r.Params), name+"="+r.DType))
	params[name] = r.DType
	return sdk.Usage(errors.Join(faults...))
}

// scoreWithPlugin scores a log with the plugin that serves its model.
func (r ScoreRequest) scoreWithPlugin(ctx context.Context, s discover.Served, log string, how score.Scoring,
	embedded bool) (score.Scored, error) {
	pl, err := r.Plugins.Starter().Launch(ctx, s.Path, r.Plugins.Options(false))
	if err != nil {
		return score.Scored{}, err
	}
	defer pl.Close()
	if r.Running != nil {
		r.Running(pl.Kill)
		defer r.Running(nil)
	}
	ctx, cancel := pl.Context(ctx)
	defer cancel()
	scored, err := how.Log(ctx, pl, log, embedded)
	return scored, exitcode.OrData(err)
}

// describeOrigin describes the run of a log. The request takes precedence over the result.json in the log's folder.
func (r ScoreRequest) describeOrigin(log results.AccuracyLog) (record.Run, error) {
	run := log.Run
	if run.Mode != "" && run.Mode != ModeAccuracy && !hasAnswers(log.Path) {
		return run, sdk.Usage(fmt.Errorf(
			"%s is of a %s run, which kept no answers: name the directory of an accuracy run", log.Path, run.Mode))
	}
	if r.Model != "" {
		run.Model = r.Model
	}
	if run.Model == "" {
		return run, sdk.Usage(fmt.Errorf(
			"%s: no %s in its folder says which model ran; name it with --benchmark", log.Path, record.FileName))
	}
	if r.Dataset != "" {
		path, err := flagtext.DatasetPath("--dataset", r.Dataset)
		if err != nil {
			return run, sdk.Data(err)
		}
		run.Options.Dataset = path
	}
	if r.Count != 0 {
		run.Options.Count = r.Count
	}
	params, faults := flagtext.ParsePairs("--param", r.Params)
	if len(faults) > 0 {
		return run, sdk.Usage(errors.Join(faults...))
	}
	run.Options.Params = maps.Clone(run.Options.Params)
	if run.Options.Params == nil {
		run.Options.Params = map[string]string{}
	}
	for _, name := range []string{sdk.ExecuteParam, sdk.SandboxParam, sdk.GraderParam} {
		delete(run.Options.Params, name) // a result cannot select a program; the user does
	}
	maps.Copy(run.Options.Params, params)
	return run, nil
}

// hasAnswers reports whether a log contains answers. It returns true for an unreadable log, so that the scoring reports
// the fault.
func hasAnswers(log string) bool {
	f, err := bounded.Open(log)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }() // opened only for reading
	_, err = mllog.NewAccuracyReader(f).Next()
	return !errors.Is(err, io.EOF)
}
