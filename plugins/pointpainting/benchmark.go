// Package pointpainting is the benchmark of object detection in space: the model pointpainting on the Waymo open data
// set, and embedded networks on generated street scenes.
//
// A sample is a frame with a point cloud and five pictures. A segmentation network scores the pixels of each picture,
// points get the scores of their pixels, and a detector finds boxes in the painted cloud.
//
// In scope: the frames of a run, passing a frame through both networks, filtering the detector's boxes, boxes in camera
// coordinates, payloads. Out of scope: painting and pillars (preprocess/lidar), picture levels (preprocess/image),
// reading frames (datasets/waymo), the metric and the overlap of boxes (accuracy/kitti3d), the choice of model files
// (sdk/manifest), inference (a backend, linked by the plugin's main).
package pointpainting

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/streets"
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
		Open: openWorkload, Score: openScorer, Params: []any{networkBinding{}, gridSettings{}, logSettings{}},
		Export: manifest.DatasetExport(export.StreetSets()), Samples: streets.EvalCount,
	})
}

// openWorkload opens the data set and checks that each model file belongs to its part.
func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	b, set := bindNetworks(r.Params), openFrames(r)
	r.AddFault(sdk.Usage(checkFiles(r.Files)))
	if err := r.Err(); err != nil {
		return nil, err
	}
	return sdk.Runs(&frameWorkload{networkBinding: b, files: b.completeModels(r.Files), set: set}), nil
}

// logSettings determines how a log is read.
type logSettings struct {
	// frames missing from the log count as frames without boxes
	MissingIsEmpty bool `param:"missing" choices:"error,empty"`
}

// openScorer reads the true objects of the frames.
func openScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	b, set := bindNetworks(r.Params), openFrames(r)
	var l logSettings
	r.Bind(&l)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return newPrecisionScorer(b, set, l.MissingIsEmpty, r.Exhibits), nil
}

// openFrames opens the frames of a run. It checks the whole data set, and the fault lists every error. Scoring needs
// only the index, unless exhibits are requested.
func openFrames(r *manifest.Request) waymo.FrameSource {
	if r.Dataset == "" {
		set := streets.Eval()
		set.N = r.SampleCount(set.Len(), "frames")
		return cacheFrames(set)
	}
	set, err := waymo.Open(r.Dataset, waymo.FrameOptions{Count: r.Count, LabelsOnly: r.Scoring})
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	r.SampleCount(set.Len(), "frames")
	return set
}
