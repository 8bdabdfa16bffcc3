package manifest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/plumbline-ml/plumbline/sdk"
)

// Implementation is the code that a benchmark's author writes in addition to the manifest.
type Implementation struct {
	// Open opens the workload of a run. It reads the parameters, opens the data set and names the model's tensors.
	Open func(ctx context.Context, r *Request) (sdk.Workload, error)
	// Params contains values of the structs to which Open and Score bind the parameters (Request.Bind), such as
	// settings{}, and assets. They are checked against the manifest's parameters. Tags may declare parameters with help
	// and default. nil: unknown.
	Params []any
	// Score prepares the scoring of an accuracy log. It uses only parameters and the data set, so the request has no file.
	Score func(ctx context.Context, r *Request) (sdk.Scorer, error)
	// Dataset performs the datasetActions that the models list; nil if no model lists any. See sdk.DatasetWorker.
	Dataset func(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (done string, err error)
	// Export writes the sets to which the embedded data set belongs; its zero value writes none.
	Export DatasetExport
	// Exports contains the exports of models with their own embedded data set, by the model's name.
	Exports map[string]DatasetExport
	// Samples is the size of the embedded data set.
	Samples int
	// PerformanceSamples is the number of embedded samples in memory at a time; 0: all.
	PerformanceSamples int
}

// Benchmark makes a benchmark from a manifest.json, the folder of the embedded model and the author's code. The folder
// contains model/card.json and the files that the card names. Benchmark panics if one of them is invalid, which is a
// fault of the build. The tests of the embedding package find such faults (manifesttest.Run).
func Benchmark(text string, files fs.FS, i Implementation) sdk.Benchmark {
	m, err := readManifest(text, files, i)
	if err != nil {
		panic(err)
	}
	return manifestBenchmark{m, i}
}

// Of returns the manifest of b. ok is false if [Benchmark] did not make b.
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

// Open checks the request against the manifest and passes it to the author's function. Its error lists all faults.
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

// WorkOnDataset performs the actions verify and export itself, and passes others to the author's function.
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
