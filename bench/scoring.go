package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/internal/score"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
)

// ScoreRequest says which accuracy logs to score, this harness's or the official LoadGen's. What a result.json beside a
// log says of the run counts where a field is empty.
type ScoreRequest struct {
	Plugins Plugins
	Path    string   // a log, the directory of a run, or one above the directories of several
	Model   string   // that the logs are of
	Dataset string   // path of the data set that ran; empty, without a result.json: the plugin's own
	Count   int      // only the first ones of the data set ran
	Params  []string // key=value: the benchmark's own, beside those of result.json
	Targets []string // metric=value: the least that is good enough, in place of the rules'
	Expect  string   // path of a file of expected answers; empty: none
	// ScorerModels are the models that the scorer runs: PART=PATH. Files finds those of a manifest, as for a Request.
	ScorerModels []string
	Files        Files
	// Rules are the round whose answers to hand in are written beside the log; empty: as in result.json, else the newest.
	Rules string
	// Scoring, if not nil, is called often while a log is read by its scorer.
	Scoring func(read, size int64)
	// Done, if not nil, is called with each score as soon as it is known.
	Done func(Scored)
	// Running, if not nil, is called with what ends the plugin at once when one is started, and
	// with nil when it is closed.
	Running func(kill func())
}

// Scored is the metric of one log.
type Scored struct {
	Log, Model   string
	Score        sdk.Score
	Verdict      judge.Verdict // how it stands to its targets
	OfficialText string        // what accuracy.txt holds
	Unwritten    error         // why accuracy.txt is not beside the log; nil: it is. Of a full disk it is Score's, too
}

// Score scores every log that the path means, and writes accuracy.txt beside each. A log that cannot be scored does not
// keep the others from it: the scores of those are returned beside the error, which names every fault.
func Score(ctx context.Context, r ScoreRequest) ([]Scored, error) {
	logs, err := score.Find(r.Path)
	if err != nil {
		return nil, sdk.Data(err)
	}
	catalog, err := r.Plugins.Find(ctx)
	if err != nil {
		return nil, err
	}
	var all []Scored
	var faults []error
	for _, log := range logs {
		s, err := r.score(ctx, catalog, log)
		if s.Log != "" {
			all = append(all, s)
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return all, worst(faults)
}

// score scores one log.
func (r ScoreRequest) score(ctx context.Context, catalog *discover.Catalog, log string) (Scored, error) {
	origin, err := r.origin(log)
	if err != nil {
		return Scored{}, err
	}
	served, err := catalog.Resolve(origin.Model)
	if err != nil {
		return Scored{}, err
	}
	wanted, err := readWanted(served.Model, r.Targets, r.Expect)
	if err != nil {
		return Scored{}, err
	}
	scorerFiles, err := findScorerFiles(served.Model, r.scorerModels(origin), origin.Options.Dataset != "", r.Files)
	if err != nil {
		return Scored{}, err
	}
	s, err := r.launch(ctx, served, log, sdk.ScoreOptions{
		Model: served.Model.Name, Dataset: origin.Options.Dataset, Count: origin.Options.Count,
		Params:    wanted.Params(origin.Options.Params),
		PartFiles: scorerFiles, Show: shown(served.Model, cmp.Or(r.Rules, origin.Rules)),
		Embedded: answeredByEmbedded(&origin),
	})
	if err != nil {
		return Scored{}, err
	}
	c := judge.Case{
		Model: served.Model, Score: s.Score, Own: origin.Options.Dataset != "", Targets: wanted.Targets,
		Embedded: origin.Workload != nil && origin.Workload.Embedded,
	}
	done := Scored{Log: log, Model: served.Model.Name, Score: s.Score, Verdict: judge.Judge(c), OfficialText: s.Text()}
	if path, err := s.WriteText(filepath.Dir(log)); err != nil {
		done.Unwritten = fmt.Errorf("%s is not written: %w", path, err)
	} else if err := errors.Join(s.WriteFiles(filepath.Dir(log)), s.WriteExhibits(filepath.Dir(log))); err != nil {
		done.Unwritten = fmt.Errorf("answers to hand in or to look at are not written: %w", err)
	}
	if r.Done != nil {
		r.Done(done)
	}
	if sdk.OutOfSpace(done.Unwritten) {
		return done, errors.Join(done.Unwritten, sdk.Usage(c.Check()))
	}
	return done, sdk.Usage(c.Check())
}

// launch scores a log with the plugin that serves its model.
func (r ScoreRequest) launch(ctx context.Context, s discover.Served, log string,
	o sdk.ScoreOptions) (score.Scored, error) {
	pl, err := r.Plugins.launcher().Launch(ctx, s.Path, r.Plugins.options(false))
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
	scored, err := score.Log(ctx, pl, log, o, long(s.Model, r.Scoring))
	return scored, orData(err)
}

// origin says what a log is of: the request first, then the result.json beside it.
func (r ScoreRequest) origin(log string) (record.Run, error) {
	run := recorded(log)
	if run.Mode != "" && run.Mode != ModeAccuracy && !answers(log) {
		return run, sdk.Usage(fmt.Errorf(
			"%s is of a %s run, which kept no answers: name the directory of an accuracy run", log, run.Mode))
	}
	if r.Model != "" {
		run.Model = r.Model
	}
	if run.Model == "" {
		return run, sdk.Usage(fmt.Errorf(
			"%s: no %s beside it says which model ran; name it with --benchmark", log, record.FileName))
	}
	if r.Dataset != "" {
		path, err := dataset(r.Dataset)
		if err != nil {
			return run, sdk.Data(err)
		}
		run.Options.Dataset = path
	}
	if r.Count != 0 {
		run.Options.Count = r.Count
	}
	params, faults := pairs("--param", r.Params)
	if len(faults) > 0 {
		return run, sdk.Usage(errors.Join(faults...))
	}
	if run.Options.Params == nil {
		run.Options.Params = map[string]string{}
	}
	maps.Copy(run.Options.Params, params)
	return run, nil
}

// long is how a model's logs are scored: a scorer that runs models of its own may keep its work.
func long(m sdk.ModelInfo, progress func(read, size int64)) score.Long {
	return score.Long{Resume: len(m.ScorerParts) > 0, Progress: progress}
}

// shown are the samples whose answers a submission of a model hands in, in a round; empty: the newest. A round that is
// not known has none.
func shown(m sdk.ModelInfo, rules string) []uint64 {
	round, err := mlconf.Round(rules)
	if err != nil {
		return nil
	}
	files, _ := round.AccuracyFiles(m.RulesKey)
	return files.Samples
}

// answers reports whether a log has any. One that cannot be read is left to the scoring, which says why.
func answers(log string) bool {
	f, err := bounded.Open(log)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }() // opened for reading
	_, err = mllog.NewAccuracyReader(f).Next()
	return !errors.Is(err, io.EOF)
}

// recorded finds the run of a log in the result.json of its directory or of one above it: of the scenario's, which for
// the log of a performance run is two levels up. A log without one, the official LoadGen's say, has an empty record.
func recorded(log string) record.Run {
	dir, err := filepath.Abs(filepath.Dir(log))
	if err != nil {
		return record.Run{}
	}
	for _, d := range []string{dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir))} {
		doc, err := record.Read(filepath.Join(d, record.FileName))
		if err != nil {
			continue
		}
		for _, r := range doc.Runs {
			if strings.HasSuffix(filepath.ToSlash(dir), "/"+r.Dir) {
				return r
			}
		}
	}
	return record.Run{}
}
