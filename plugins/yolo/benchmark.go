// Package yolo is the benchmark of anchor-free object detection: the models yolo-95 and yolo-99 on the safe subset of
// COCOLabels, and an embedded network on generated scenes.
//
// In scope: the models, letterboxing into their input, the form of their output, the safe subset of COCOLabels. Out of
// scope: other data sets, boxes of columns, the log's rows and their score (plugins/internal/detection), the choice of
// a model file (sdk/manifest), inference (a backend, linked by the plugin's main), image transforms (preprocess/image).
package yolo

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
		Open: openWorkload, Score: detection.OpenScorer, Params: []any{yoloBinding{}, detection.DatasetSource{}},
		Dataset: convertSafe, Export: manifest.DatasetExport(export.SceneSets()),
		Samples: scenes.EvalCount, PerformanceSamples: 64,
	})
}

// openWorkload opens the data set with the letterbox that the parameters and the model file select. If the letterbox's
// shape depends on the picture, the workload groups pictures by shape.
func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	set, b := detection.ReadSource(r).OpenPictures(), bindDetector(r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	w := newYOLOWorkload(b, r.File(), set)
	if b.letterbox.Rect {
		return sdk.Runs(shapedWorkload{w}), nil
	}
	return sdk.Batches(w), nil
}
