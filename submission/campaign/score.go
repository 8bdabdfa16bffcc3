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

	"github.com/plumbline-ml/plumbline/submission/audit"
	"github.com/plumbline-ml/plumbline/submission/result"
)

// scorer scores accuracy logs with the benchmark's own scorer, on the data set of the runs. It leaves nothing beside
// the logs.
func (c *Campaign) scorer(rules *mlconf.Rules, rulesKey string) func(context.Context, string) (audit.Score, error) {
	return func(ctx context.Context, log string) (audit.Score, error) {
		r := c.Request
		dir, err := os.MkdirTemp("", "scored-")
		if err != nil {
			return audit.Score{}, err
		}
		defer os.RemoveAll(dir)
		if log, err = linked(log, dir); err != nil {
			return audit.Score{}, err
		}
		all, err := bench.Score(ctx, bench.ScoreRequest{
			Plugins: r.Plugins, Path: log, Model: r.Model, Dataset: r.Dataset, Count: r.Count, Params: r.Params,
			ScorerModels: r.ScorerModels, Files: r.Files,
		})
		if err != nil {
			return audit.Score{}, err
		}
		if len(all) == 0 {
			return audit.Score{}, errNoScore
		}
		text := all[0].OfficialText
		return audit.Score{Text: text, Metrics: metrics(rules.Targets(rulesKey, ""), text)}, nil
	}
}

// linked is a log's name in another folder.
func linked(log, dir string) (string, error) {
	path, err := filepath.Abs(log)
	if err != nil {
		return "", err
	}
	link := filepath.Join(dir, filepath.Base(log))
	return link, os.Symlink(path, link)
}

// metrics are those of the rules' targets that a text in the form of the official scripts speaks of.
func metrics(targets []mlconf.Target, text string) map[string]float64 {
	found := map[string]float64{}
	for line := range strings.Lines(text) {
		for _, t := range targets {
			value, ok := result.Accuracy(t.Metric, strings.TrimRight(line, "\r\n"))
			if v, err := strconv.ParseFloat(value, 64); ok && err == nil {
				found[t.Metric] = v
			}
		}
	}
	return found
}

var errNoScore = errors.New("the log has no score")
