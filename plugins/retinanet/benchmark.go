// Package retinanet is the object-detection benchmark: the models retinanet on OpenImages, ssd-mobilenet and
// ssd-resnet34 on COCO, and an embedded network on scenes that the project draws.
//
// In: which pictures a run uses, preprocessing into the model's input, the detections that its outputs stand for, and
// the true boxes to score against. Out: the choice of a model file (sdk/manifest), inference (a backend, linked by the
// plugin's main), image transforms (preprocess/image), the metric (accuracy/coco), downloads (fetch).
package retinanet

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/export"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: open, Score: score, Export: manifest.Export(export.SceneSets()),
		Samples: scenes.EvalCount, PerformanceSamples: 64,
	})
}

// open opens the data set, for the preprocessing that the parameters ask for.
func open(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	set, b := readSource(r).pictures(), bind(r.Params)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return sdk.Batches(newWorkload(b, r.File(), set)), nil
}

// score reads the true boxes of the data set.
func score(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	source, o, mlmark := readSource(r), readScoring(r.Params), r.Params.Bool("mlmark_map")
	g, pictures := source.truth(o.RemoveEmpty)
	if err := r.Err(); err != nil {
		return nil, err
	}
	s, err := newScorer(g, pictures.Len(), o, mlmark)
	if err != nil || o.RemoveEmpty { // which leaves samples in an order of its own
		return s, err
	}
	return exhibit.Scorer(s, r.Exhibits, newGallery(g, pictures, o)), nil
}
