package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
)

// newScorer returns a function that scores accuracy logs with the benchmark's own scorer, for a test's run and the runs
// that it is compared with. It uses the test's own data set, or else that of accuracy runs. It leaves no files next to
// the logs.
func (c *Campaign) newScorer(rules *mlconf.Rules, rulesKey string,
	own Step) func(context.Context, string) (audit.Score, error) {
	return func(ctx context.Context, log string) (audit.Score, error) {
		r := c.Request
		dataset, err := c.scoredDataset(ctx, own)
		if err != nil {
			return audit.Score{}, err
		}
		dir, err := os.MkdirTemp("", "scored-")
		if err != nil {
			return audit.Score{}, err
		}
		defer os.RemoveAll(dir)
		if log, err = linkLog(log, dir); err != nil {
			return audit.Score{}, err
		}
		all, err := bench.Score(ctx, bench.ScoreRequest{
			Plugins: r.Plugins, Path: log, Model: r.Model.Name, Dataset: dataset, Test: own.Test.Name, Count: r.Data.Count,
			Params:       r.Model.Params,
			ScorerModels: r.Data.ScorerModels, Files: r.Model.Finder,
		})
		if err != nil {
			return audit.Score{}, err
		}
		if len(all) == 0 {
			return audit.Score{}, errNoScore
		}
		text := all[0].OfficialText
		return audit.Score{Text: text, Metrics: targetMetrics(rules.Targets(rulesKey, ""), text)}, nil
	}
}

// scoredDataset returns the path of the data set for scoring a step's log; empty: the plugin's own.
func (c *Campaign) scoredDataset(ctx context.Context, s Step) (string, error) {
	p, err := bench.NewPlan(ctx, c.stepRequest(s))
	if err != nil {
		return "", err
	}
	use := p.UseOf(p.Runs[len(p.Runs)-1])
	if use == sdk.UsePerformance {
		use = sdk.UseAccuracy
	}
	return p.DatasetPath(use), nil
}

// linkLog links a log into a folder and returns the link's path.
func linkLog(log, dir string) (string, error) {
	path, err := filepath.Abs(log)
	if err != nil {
		return "", err
	}
	link := filepath.Join(dir, filepath.Base(log))
	return link, os.Symlink(path, link)
}

// targetMetrics returns the metrics of the rules' targets that appear in a text in the form of the official scripts.
func targetMetrics(targets []mlconf.Target, text string) map[string]float64 {
	found := map[string]float64{}
	for line := range strings.Lines(text) {
		for _, t := range targets {
			value, ok := result.ParseAccuracy(t.Metric, strings.TrimRight(line, "\r\n"))
			if v, err := strconv.ParseFloat(value, 64); ok && err == nil {
				found[t.Metric] = v
			}
		}
	}
	return found
}

var errNoScore = errors.New("the log has no score")
