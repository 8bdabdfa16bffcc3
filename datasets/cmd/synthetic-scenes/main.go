// Command synthetic-scenes writes the synthetic detection data set to a folder in the layout of OpenImages: pictures as
// PNG and annotations/openimages-mlperf.json.
//
//	synthetic-scenes -set train -n 8000 -out DIR
package main

import (
	"github.com/plumbline-ml/plumbline/datasets/cmd/internal/exporter"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes/export"
)

func program() exporter.Program[scenes.Set] {
	return exporter.Program[scenes.Set]{
		Name: "synthetic-scenes", Samples: "pictures",
		Train: scenes.Train, Calibration: scenes.Calibration, Eval: scenes.Eval, Write: export.Scenes,
	}
}

func main() { program().Main() }
