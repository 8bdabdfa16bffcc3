package retinanet

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

// Open chooses model file, data set and preprocessing; every fault of o is reported at once.
func (b benchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	file, fileErr := b.manifest.OpenFile(e, o)
	values := manifest.Values(file.Defaults, o.Params)
	binding, bindErr := bind(values)
	source, sourceErr := parseSource(values, o.Dataset, o.Count)
	faults := []error{fileErr, b.manifest.CheckParams(o.Params), bindErr, sourceErr}
	var set pictures
	if sourceErr == nil {
		set, err = source.pictures()
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	return newWorkload(binding, file.Model, set), nil
}

// OpenScorer reads the true boxes of the data set.
func (b benchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	defaults := e.Defaults
	if o.Dataset == "" { // the drawn scenes, which only the embedded network knows
		defaults = manifest.Values(b.manifest.Embedded.Defaults, e.EmbeddedDefaults)
	}
	values := manifest.Values(defaults, o.Params)
	options, optionsErr := parseScoring(values)
	source, sourceErr := parseSource(values, o.Dataset, o.Count)
	faults := []error{b.manifest.CheckParams(o.Params), optionsErr, sourceErr}
	var s *scorer
	if sourceErr == nil {
		s, err = openScorer(source, options)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	return s, nil
}
