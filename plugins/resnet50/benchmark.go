// Package resnet50 is the image-classification benchmark: the models resnet50 and mobilenet on ImageNet, and an
// embedded network on generated pictures.
//
// In scope: the pictures of a run, preprocessing into the model's input, the class of each output row, and the labels
// for scoring. Out of scope: the choice of a model file (sdk/manifest), inference (a backend, linked by the plugin's
// main), image transforms (preprocess/image), the metric (accuracy/topk), downloads (fetch).
package resnet50

import (
	"context"
	"embed"
	"io/fs"

	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/internal/synthetic"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return Of(Classifier{Manifest: manifestText, Files: modelFiles, Size: 224, Classes: imagenet.Classes})
}

// Classifier is an image-classification benchmark with its own models. Its manifest must declare the same parameters as
// this package's manifest.
type Classifier struct {
	Manifest string // content of manifest.json
	Files    fs.FS  // model/card.json and the files that it names
	Size     int    // height and width of the models' input, in pixels
	Classes  int    // number of classes in the data set; labels are 0 to Classes-1
}

// Of returns the benchmark of a classifier, on its data set in the layout of ImageNet or on generated pictures. It
// panics if the manifest is invalid, like manifest.Benchmark.
func Of(c Classifier) sdk.Benchmark {
	return manifest.Benchmark(c.Manifest, c.Files, manifest.Implementation{
		Open: c.openWorkload, Score: c.openScorer, Dataset: exportCalibration,
		Export:  manifest.DatasetExport(export.ImageSets(0)),
		Samples: synthetic.ImageEvalCount, PerformanceSamples: 1024,
	})
}

// openWorkload opens the data set with the preprocessing that the parameters select.
func (c Classifier) openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	note := c.chooseParams(r)
	b, set := bindClassifier(r.Params, c.Size), openPictures(r, c.Classes)
	if err := r.Err(); err != nil {
		return nil, err
	}
	w := newClassifierWorkload(b, r.File(), set)
	w.choices = note
	return sdk.Batches(w), nil
}

// openScorer reads the labels of the data set.
func (c Classifier) openScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	var l logSettings
	r.Bind(&l, option.ReaderFunc("dtype", topk.DTypes().Parse), payloadClassesReader())
	set := openLabels(r, c.Classes)
	if err := r.Err(); err != nil {
		return nil, err
	}
	x, err := openExpectedClasses(l.Expect, set, l.DType, c.Classes)
	if err != nil {
		return nil, err
	}
	return newClassScorer(set, l.DType, classScorer{
		l.Offset, r.IsGiven("offset") || r.Embedded, l.Best > 1, x,
	}, r.Exhibits), nil
}
