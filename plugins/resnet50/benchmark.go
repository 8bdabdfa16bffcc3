package resnet50

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/sdk"
)

// benchmark is the plugin. It is immutable.
type benchmark struct{ manifest *manifest }

// New returns the benchmark. It panics if the manifest inside the package is broken, which the package's tests rule out.
func New() sdk.Benchmark {
	m, err := readManifest(manifestText)
	if err != nil {
		panic(err)
	}
	return benchmark{m}
}

func (b benchmark) Describe() sdk.Description {
	d := sdk.Description{Name: b.manifest.Name, Version: b.manifest.Version, Summary: b.manifest.Summary}
	for _, e := range b.manifest.Models {
		d.Models = append(d.Models, e.ModelInfo)
	}
	return d
}

// Open chooses model file, data set and preprocessing; every fault of o is reported at once.
func (b benchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	e, err := b.manifest.model(o.Model)
	if err != nil {
		return nil, err
	}
	network, networkErr := b.manifest.openNetwork(e, o)
	paramErr := b.manifest.checkParams(o.Params)
	defaults := network.defaults
	if networkErr != nil {
		defaults = e.Defaults // to find faults of the parameters all the same
	}
	binding, bindErr := bind(defaults, o.Params)
	set, setErr := openPictures(o.Dataset, o.Count)
	if err := errors.Join(networkErr, paramErr, bindErr, setErr); err != nil {
		return nil, fmt.Errorf("open %s: %w", e.Name, err)
	}
	return newWorkload(binding, network.file, set), nil
}

// OpenScorer reads the labels of the data set.
func (b benchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	e, err := b.manifest.model(o.Model)
	if err != nil {
		return nil, err
	}
	dtype, dtypeErr := parseDType(o.Params["dtype"])
	labels, labelsErr := openLabels(o.Dataset, o.Count)
	if err := errors.Join(b.manifest.checkParams(o.Params), dtypeErr, labelsErr); err != nil {
		return nil, fmt.Errorf("score %s: %w", e.Name, err)
	}
	return newScorer(labels, dtype), nil
}

func parseDType(text string) (topk.DType, error) {
	d, err := topk.ParseDType(text)
	if err != nil {
		return d, sdk.Usage(err)
	}
	return d, nil
}
