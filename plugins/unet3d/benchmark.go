// Package unet3d is the medical-segmentation benchmark: the models 3d-unet on KiTS19 and 3d-unet-brats on BraTS 2019,
// and embedded networks on generated volumes and heads.
//
// A sample is a whole volume. On KiTS19 the model reads it window by window (128 voxels a side, 64 apart; 32 and 16 for
// the embedded network). A call processes several windows if the model's batch dimension is free and the run requests
// it. Scores are blended as they arrive, so a worker stores the sums of one layer of windows, not of the volume. On
// BraTS the model reads a head at once, and its logits are the answer.
//
// In scope: the volumes of a run, passing a volume through the session, and the labels for scoring. Out of scope: the
// choice of a model file (sdk/manifest), inference (a backend, linked by the plugin's main), resampling, windows,
// blending, cropping and normalising (preprocess/volume), reading volumes (datasets/kits19, datasets/brats), the metric
// (accuracy/dice), downloads (fetch).
package unet3d

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/dice"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx model/brats/card.json model/brats/*.onnx
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{windowBinding{}, headBinding{}, headSource{}, logSettings{}},
		Samples: volumes.EvalCount,
		Exports: map[string]manifest.DatasetExport{headModel: manifest.DatasetExport(export.HeadSets())},
	})
}

// openWorkload opens the data set with the window that the parameters select.
func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	if r.Model.Name == headModel {
		b := bindHeads(r.Params)
		set := openHeads(r, b)
		if err := r.Err(); err != nil {
			return nil, err
		}
		return sdk.Batches(&headWorkload{b, b.completeModel(r.File()), set}), nil
	}
	b, set := readWindow(r.Params), openCases(r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	w := &volumeWorkload{windowBinding: b, file: b.completeModel(r.File()), cases: set, batch: r.Batch}
	return sdk.Runs(w), w.checkShapes()
}

// openScorer returns a scorer that reads the labels case by case, prepared for the model's window.
func openScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	if r.Model.Name == headModel {
		return openHeadScorer(r)
	}
	b, set := readWindow(r.Params), openCases(r)
	dtype := readElementType(r, dice.DTypes().Parse)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return newVolumeScorer(b, set, dtype, r.Exhibits)
}

// logSettings determines how payloads are read.
type logSettings struct {
	DType accuracy.DType `param:"dtype"`
}

// readElementType reads the element type of payloads, which the metric must support.
func readElementType(r *manifest.Request, parse func(name string) (accuracy.DType, error)) accuracy.DType {
	var l logSettings
	r.Bind(&l, option.ReaderFunc("dtype", parse))
	return l.DType
}

// openHeadScorer returns a scorer that reads the labels of heads case by case.
func openHeadScorer(r *manifest.Request) (sdk.Scorer, error) {
	b := bindHeads(r.Params)
	set := openHeads(r, b)
	dtype := readElementType(r, dice.HeadDTypes().Parse)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return newHeadScorer(b, set, dtype, r.Exhibits)
}
