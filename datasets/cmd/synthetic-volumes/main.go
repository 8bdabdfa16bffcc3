// Command synthetic-volumes writes the synthetic volumes to a folder in the layout in which KiTS19 is published.
//
//	synthetic-volumes -set train -out DIR
package main

import (
	"github.com/plumbline-ml/plumbline/datasets/cmd/internal/exporter"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes/export"
)

func program() exporter.Program[volumes.Set] {
	return exporter.Program[volumes.Set]{
		Name: "synthetic-volumes", Samples: "volumes",
		Train: volumes.Train, Calibration: volumes.Calibration, Eval: volumes.Eval, Write: export.Cases,
	}
}

func main() { program().Main() }
