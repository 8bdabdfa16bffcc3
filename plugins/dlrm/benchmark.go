package dlrm

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

// Open chooses model file, data set and grouping; every fault of o is reported at once.
func (b benchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	file, fileErr := b.manifest.OpenFile(e, o)
	values := manifest.Values(file.Defaults, o.Params)
	binding, bindErr := bind(values)
	source, sourceErr := parseSource(values, o.Dataset, o.Count)
	if err := errors.Join(fileErr, b.manifest.CheckParams(o.Params), bindErr, sourceErr, checkBatch(o.Batch)); err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	w, err := openWorkload(ctx, binding, source, file.Model, o.Batch)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	return w, nil
}

func checkBatch(pairs int) error {
	if pairs < 0 {
		return sdk.Usage(fmt.Errorf("batch = %d, want 0 (the benchmark's choice) or more: it counts pairs", pairs))
	}
	return nil
}

// OpenScorer reads no model. Where the log holds the labels and no data set is named, it reads nothing.
func (b benchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	values := manifest.Values(e.Defaults, o.Params)
	form, formErr := parseForm(values)
	source, sourceErr := parseSource(values, o.Dataset, o.Count)
	if err := errors.Join(b.manifest.CheckParams(o.Params), formErr, sourceErr); err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	s, err := openScorer(form, source)
	if err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	return s, nil
}
