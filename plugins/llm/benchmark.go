package llm

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// benchmark is the plugin. It is immutable.
type benchmark struct{ manifest *manifest.Manifest }

// New returns the benchmark. It panics if the manifest inside the package is broken, which the package's tests rule out.
func New() sdk.Benchmark {
	m, err := readManifest()
	if err != nil {
		panic(err)
	}
	return benchmark{m}
}

func (b benchmark) Describe() sdk.Description { return b.manifest.Describe() }

// Open reads the tokenizer and the data set, and makes all prompts; every fault of o is reported at once.
func (b benchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	file, fileErr := b.manifest.OpenFile(e, o)
	s, err := b.settings(e, o.Params, file.Embedded)
	if err := errors.Join(fileErr, err); err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	data, errData := openTexts(e.Name, o.Dataset, o.Count, false)
	t, errTokens := openTokenizer(s.tokenizer)
	if err := errors.Join(errData, errTokens); err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	w, err := newWorkload(ctx, file.Model, s, t, data)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	return w, nil
}

// OpenScorer reads the references of the data set, and the tokenizer.
func (b benchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	s, err := b.settings(e, o.Params, o.Dataset == "")
	if err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	data, errData := openTexts(e.Name, o.Dataset, o.Count, true)
	t, errTokens := openTokenizer(s.tokenizer)
	split, errSplit := openSplitter(s.punkt)
	if err := errors.Join(errData, errTokens, errSplit); err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	return newScorer(data, s, t, split, metricNames(e)), nil
}

// settings reads the parameters over the defaults: those of the embedded model, unless another model answers.
func (b benchmark) settings(e *manifest.Model, params map[string]string, embedded bool) (settings, error) {
	defaults := e.Defaults
	if embedded && params["tokenizer"] == "" {
		defaults = manifest.Values(b.manifest.Embedded.Defaults, e.EmbeddedDefaults)
	}
	s, err := parseSettings(manifest.Values(defaults, params))
	return s, errors.Join(b.manifest.CheckParams(params), err)
}

func metricNames(e *manifest.Model) []string {
	names := make([]string, len(e.Metrics))
	for i, m := range e.Metrics {
		names[i] = m.Name
	}
	return names
}
