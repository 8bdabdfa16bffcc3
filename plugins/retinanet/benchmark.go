// Package retinanet is the object-detection benchmark: the models retinanet on OpenImages, ssd-mobilenet and
// ssd-resnet34 on COCO, and an embedded network on generated scenes.
//
// In scope: the models, preprocessing into their inputs, the names and forms of their outputs. Out of scope: data sets,
// the log's rows and their score (plugins/internal/detection), the choice of a model file (sdk/manifest), inference (a
// backend, linked by the plugin's main), image transforms (preprocess/image), downloads (fetch).
package retinanet

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/plugins/internal/detection"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: detection.OpenScorer,
		Params:  []any{formChoice{}, exportForm{}, detection.DatasetSource{}, detection.ScoringRules{}},
		Export:  manifest.DatasetExport(export.SceneSets()),
		Samples: scenes.EvalCount, PerformanceSamples: 64,
	})
}

// openWorkload opens the data set with the preprocessing that the parameters select.
func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	set, b := detection.ReadSource(r).OpenPictures(), bindDetector(r.Params)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return sdk.Batches(newRetinanetWorkload(b, r.File(), set)), nil
}
