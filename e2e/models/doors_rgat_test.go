package models

import (
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// rgatDoors are the doors of graphs.
func rgatDoors() []door {
	tiny, full := map[string]float64{}, map[string]float64{}
	return []door{{
		model: "rgat",
		data: func(dir string) (err error) {
			tiny["accuracy"], full["accuracy"], err = officialdata.IGBH(filepath.Join(dir, "igbh"))
			return err
		},
		layouts: []string{
			"a folder with SIZE/processed as published: TYPE/node_feat.npy, paper/node_label_2K.npy, " +
				"SRC__REL__DST/edge_index.npy, and val_idx.pt written by the reference's split script (without it, the same " +
				"split is drawn)",
			"in large and full, the files of papers, authors and labels have no header",
		},
		files:  map[string]*onnxfile.Graph{"rgat.onnx": tinymodel.RGAT()},
		scores: map[string]map[string]float64{"out/rgat-smoke": full, "out/rgat-tiny-smoke": tiny},
		also: []form{
			{"--model rgat.onnx --dataset igbh --count 20 --param size=full --param sampling=node --param payload=int64", full},
			{"--model rgat.onnx --dataset igbh --count 20 --param size=tiny --param graph=none", tiny},
		},
	}}
}
