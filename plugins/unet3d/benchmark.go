package unet3d

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/dice"
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

// Open chooses model file, data set and window; every fault of o is reported at once.
func (b benchmark) Open(_ context.Context, o sdk.Options) (sdk.Workload, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	file, fileErr := b.manifest.OpenFile(e, o)
	paramErr := b.manifest.CheckParams(o.Params)
	binding, bindErr := bind(file.Defaults, o.Params)
	set, setErr := openCases(o.Dataset, o.Count, false)
	if err := errors.Join(fileErr, paramErr, bindErr, setErr); err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	w := &workload{binding: binding, file: binding.model(file.Model), cases: set, batch: o.Batch}
	if err := w.checkShapes(); err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	return w, nil
}

// OpenScorer prepares to read the labels of the data set, one case at a time. Volumes are as they are prepared for the
// window of the embedded model where the data set is the embedded one, and else for the official model's.
func (b benchmark) OpenScorer(_ context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	defaults := e.Defaults
	if o.Dataset == "" {
		defaults = b.manifest.Embedded.Defaults
	}
	binding, bindErr := bind(defaults, o.Params)
	dtype, dtypeErr := parseDType(o.Params["dtype"])
	set, setErr := openCases(o.Dataset, o.Count, true)
	if err := errors.Join(b.manifest.CheckParams(o.Params), bindErr, dtypeErr, setErr); err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	s, err := newScorer(binding, set, dtype)
	if err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	return s, nil
}

func parseDType(text string) (dice.DType, error) {
	d, err := dice.ParseDType(text)
	return d, sdk.Usage(err)
}
