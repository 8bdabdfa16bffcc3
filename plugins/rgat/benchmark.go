// Package rgat is the graph benchmark, compatible with MLPerf Inference's rgat. R-GAT predicts the class of papers in
// the heterogeneous citation graph IGBH.
//
// A sample is a paper. Its neighbourhood is sampled within the timed run: three hops of up to 15, 10 and 5 in-edges of
// each node and relation. The neighbourhoods of several papers go through the model together, as one graph.
//
// In scope: the papers of a run, filling a model's tensors with neighbourhoods, payloads, the scorer. Out of scope: the
// choice of a model file (sdk/manifest), inference (a backend, linked by the plugin's main), reading graphs
// (datasets/igbh), drawing neighbourhoods (internal/sampling), the embedded graph (internal/synthetic/citations), the
// metric (accuracy/rgat).
package rgat

import (
	"context"
	"embed"
	"errors"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/rgat"
	"github.com/plumbline-ml/plumbline/internal/synthetic/citations"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{samplingBinding{}, fileSource{}, logSettings{}},
		Dataset: storeFeatures, Export: manifest.DatasetExport(export.CitationSets()),
		Samples: citations.EvalCount,
	})
}

// openWorkload loads the graph.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	b := bindSampling(r.Params)
	p := openPapers(ctx, r)
	if err := r.Err(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return sdk.Runs(&graphWorkload{samplingBinding: b, file: r.File(), papers: p}), nil
}

// logSettings determines how payloads are read.
type logSettings struct {
	Format accuracy.ClassFormat `param:"dtype"`
}

// openScorer reads papers and labels.
func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	var l logSettings
	r.Bind(&l, option.ReaderFunc("dtype", accuracy.ParseFormat))
	p := openPapers(ctx, r)
	if err := r.Err(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	log := scoring.Log{
		Samples: len(p.labels), Exhibits: r.Exhibits, Gallery: wrongPapers(p.ids, p.labels, l.Format),
	}
	return scoring.New(accuracy.New(p.labels, l.Format), log, makeScore), p.Close()
}
