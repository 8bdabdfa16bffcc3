package models

import (
	"maps"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// dlrmDoors are the doors of recommendation.
func dlrmDoors() []door { return []door{dlrmV2Door(), dlrmV1Door(), dlrmV3Door()} }

func dlrmV3Door() door {
	scores := map[string]float64{}
	return door{
		model: "dlrm-v3",
		data: func(dir string) error {
			written, err := officialdata.Streamed(filepath.Join(dir, "streamed"))
			maps.Copy(scores, written)
			return err
		},
		layouts: []string{
			"the folder sampled_data, or its parent: 0.csv, 1.csv, ... (a line for each user), offset.csv, " +
				"requests_per_ts.csv, requests_per_ts_offset.csv and users_cumsum_per_ts.csv",
		},
		files:   map[string]*onnxfile.Graph{"dlrm-v3.onnx": tinymodel.DLRMv3()},
		scores:  map[string]map[string]float64{"out/dlrm-v3-smoke": scores},
		also:    []form{{"--model dlrm-v3.onnx --dataset streamed/sampled_data --param check=all", scores}},
		queries: officialdata.StreamedRequests,
	}
}

func dlrmV2Door() door {
	full, debug := map[string]float64{}, map[string]float64{}
	return door{
		model: "dlrm-v2",
		data: func(dir string) (err error) {
			full["AUC"], debug["AUC"], err = officialdata.CriteoMultiHot(filepath.Join(dir, "criteo"))
			return err
		},
		layouts: []string{
			"a folder with day_23_dense.npy (float32, pairs x 13), day_23_sparse_multi_hot.npz (members 0.npy to 25.npy, " +
				"int32, stored uncompressed) and day_23_labels.npy; the first half of the day is used",
			"With parameter variant = sample or debug: the same names with _sample or _debug before the suffix, used completely",
		},
		files:  map[string]*onnxfile.Graph{"dlrm-v2.onnx": tinymodel.DLRMv2()},
		scores: map[string]map[string]float64{"out/dlrm-v2-smoke": full, "out/dlrm-v2-debug-smoke": debug},
		also:   []form{{"--model dlrm-v2.onnx --dataset criteo --param variant=sample", debug}},
	}
}

func dlrmV1Door() door {
	binary, reordered := map[string]float64{}, map[string]float64{}
	return door{
		model: "dlrm",
		data: func(dir string) (err error) {
			if binary["AUC"], err = officialdata.CriteoTerabyte(filepath.Join(dir, "criteo")); err != nil {
				return err
			}
			reordered["AUC"], err = officialdata.CriteoReordered(filepath.Join(dir, "criteo-day"))
			return err
		},
		layouts: []string{
			"a folder with terabyte_processed_test.bin (int32, pairs x 40: label, 13 numbers, 26 indices), or " +
				"day_23_reordered.npz (members X_int, X_cat and y), and day_fea_count.npz (member counts)",
		},
		files: map[string]*onnxfile.Graph{
			"tb00_40M.onnx": tinymodel.DLRMv1(), "models/lists.onnx": tinymodel.DLRMv1Lists(),
		},
		scores: map[string]map[string]float64{"out/dlrm-smoke": binary, "out/dlrm-day-smoke": reordered},
	}
}
