package manifest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/plumbline-ml/plumbline/sdk"
)

// Implementation is what a benchmark's author writes in addition to the manifest.
type Implementation struct {
	// Open opens the workload of a run: it reads the parameters, opens the data set and names the model's tensors.
	Open func(ctx context.Context, r *Request) (sdk.Workload, error)
	// Params are structs of the forms that Open and Score bind the parameters to (Request.Bind), such as settings{}, and
	// assets: they are held to the manifest's parameters, and tags may declare some with help and default. nil: not known.
	Params []any
	// Score prepares the scoring of an accuracy log: parameters and data set only, the request has no file.
	Score func(ctx context.Context, r *Request) (sdk.Scorer, error)
	// Dataset does what the models list as datasetActions; nil where none lists any. See sdk.DatasetWorker.
	Dataset func(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (done string, err error)
	// Export writes the sets that the embedded data set is one of; its zero value writes none.
	Export DatasetExport
	// Exports are those of models with an embedded data set of their own, by the model's name.
	Exports map[string]DatasetExport
	// Samples is the size of the embedded data set.
	Samples int
	// PerformanceSamples is how many samples of it are in memory at a time; 0: all.
	PerformanceSamples int
}

// Benchmark joins a manifest.json with the folder of the embedded model, which holds model/card.json and the files that
// the card names, and with what the author wrote. It panics where one of them is broken, which is a fault of the build:
// the tests of the package that embeds them find it (manifesttest.Run).
func Benchmark(text string, files fs.FS, i Implementation) sdk.Benchmark {
	m, err := readManifest(text, files, i)
	if err != nil {
		panic(err)
	}
	return manifestBenchmark{m, i}
}

// Of returns the manifest of a benchmark that [Benchmark] made, and whether it is one.
func Of(b sdk.Benchmark) (*Manifest, bool) {
	own, ok := b.(manifestBenchmark)
	return own.manifest, ok
}

// manifestBenchmark is the benchmark of a manifest. It is immutable.
type manifestBenchmark struct {
	manifest *Manifest
	author   Implementation
}

func (b manifestBenchmark) Describe() sdk.Description { return b.manifest.Describe() }

// Open hands the author's function a request that is checked as far as the manifest knows. Every
// fault is reported at once.
func (b manifestBenchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	r, err := b.manifest.runRequest(o)
	if err != nil {
		return nil, err
	}
	return b.open(ctx, r)
}

func (b manifestBenchmark) open(ctx context.Context, r *Request) (sdk.Workload, error) {
	w, err := b.author.Open(ctx, r)
	if err == nil {
		if err = r.Err(); err == nil {
			return w, nil
		}
		err = errors.Join(err, w.Close())
	}
	return nil, fmt.Errorf("open %s: %w", r.Model.Name, err)
}

// OpenScorer does the same for scoring.
func (b manifestBenchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	r, err := b.manifest.scoreRequest(o)
	if err != nil {
		return nil, err
	}
	s, err := b.author.Score(ctx, r)
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("score %s: %w", r.Model.Name, err)
	}
	return s, nil
}

// WorkOnDataset verifies and exports, and has the author's function do the rest.
func (b manifestBenchmark) WorkOnDataset(
	ctx context.Context, r sdk.DatasetRequest, progress func(line string),
) (done string, err error) {
	switch r.Action {
	case sdk.Verify:
		return b.verifyDataset(ctx, r, progress)
	case sdk.Export:
		if e, err := b.manifest.Model(r.Model); err == nil && b.author.exportOf(e).Write != nil {
			return exportSet(ctx, b.author.exportOf(e), r)
		}
	}
	if b.author.Dataset == nil {
		return "", sdk.Usage(fmt.Errorf("%s does no work on data sets apart from runs", b.manifest.Name))
	}
	return b.author.Dataset(ctx, r, progress)
}
