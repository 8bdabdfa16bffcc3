package resnet50

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/topk"
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
	paramErr := b.manifest.CheckParams(o.Params)
	binding, bindErr := bind(file.Defaults, o.Params)
	set, setErr := openPictures(o.Dataset, o.Count)
	if err := errors.Join(fileErr, paramErr, bindErr, setErr); err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	return newWorkload(binding, file.Model, set), nil
}

// OpenScorer reads the labels of the data set.
func (b benchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	e, err := b.manifest.Model(o.Model)
	if err != nil {
		return nil, err
	}
	v := manifest.Values(e.Defaults, o.Params)
	dtype, dtypeErr := parseDType(v["dtype"])
	offset, offsetErr := parseOffset(v["offset"])
	set, setErr := openLabels(o.Dataset, o.Count)
	if err := errors.Join(b.manifest.CheckParams(o.Params), dtypeErr, sdk.Usage(offsetErr), setErr); err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	x, err := openExpected(v[sdk.ExpectParam], set, dtype)
	if err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	return newScorer(set, dtype, offset, x), nil
}

func parseDType(text string) (topk.DType, error) {
	d, err := topk.ParseDType(text)
	return d, sdk.Usage(err)
}
