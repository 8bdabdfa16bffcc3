// Command synthetic-export writes a synthetic data set to a folder in the official layout: pictures as PNG and a
// val_map.txt.
//
//	synthetic-export -set train -n 20000 -out DIR
package main

import (
	"github.com/plumbline-ml/plumbline/datasets/cmd/internal/exporter"
	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/export"
)

func program() exporter.Program[synthetic.ImageSet] {
	return exporter.Program[synthetic.ImageSet]{
		Name: "synthetic-export", Samples: "pictures",
		Train: synthetic.ImageTrain, Calibration: synthetic.ImageCalibration, Eval: synthetic.ImageEval, Write: export.Images,
	}
}

func main() { program().Main() }
