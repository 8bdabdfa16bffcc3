package bert

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

// Open chooses model file, vocabulary and data set, and makes all features; every fault of o is reported at once.
func (b benchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	file, fileErr := b.manifest.OpenFile(e, o)
	binding, bindErr := bind(manifest.Values(file.Defaults, o.Params))
	set, setErr := openQuestions(ctx, o.Dataset, o.Params["vocab"], o.Count)
	err = errors.Join(fileErr, b.manifest.CheckParams(o.Params), bindErr, setErr)
	if err == nil && file.Embedded && o.Dataset != "" && o.Params["vocab"] != embeddedVocab {
		err = sdk.Usage(errors.New("the embedded model has a vocabulary of its own: give parameter vocab=embedded with another data set, or a model file"))
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	return newWorkload(binding, file.Model, set, o.Batch), nil
}

// OpenScorer reads questions, vocabulary and accepted answers.
func (b benchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	options, optionErr := parseScoring(manifest.Values(e.Defaults, o.Params))
	set, setErr := openQuestions(ctx, o.Dataset, o.Params["vocab"], o.Count)
	if err := errors.Join(b.manifest.CheckParams(o.Params), optionErr, setErr); err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	return newScorer(set, options), nil
}
