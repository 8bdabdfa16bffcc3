package e2e

import (
	"errors"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/e2e/internal/officialdata"
	"github.com/plumbline-ml/plumbline/e2e/internal/onnxfile"
	"github.com/plumbline-ml/plumbline/e2e/internal/tinymodel"
)

// unetDoors are those of medical segmentation.
func unetDoors() []door {
	published, prepared, listed := map[string]float64{}, map[string]float64{}, map[string]float64{}
	const model = "--model 3dunet_kits19_128x128x128.onnx "
	return []door{{
		model: "3d-unet",
		data: func(dir string) (err error) {
			var err1, err2, err3 error
			published["DICE"], err1 = officialdata.KiTS19(filepath.Join(dir, "kits19"))
			prepared["DICE"], err2 = officialdata.KiTS19Preprocessed(filepath.Join(dir, "preprocessed_data"))
			listed["DICE"], err3 = officialdata.KiTS19Listed(filepath.Join(dir, "listed"))
			return errors.Join(err1, err2, err3)
		},
		layouts: []string{
			"as published: FOLDER/case_00000/imaging.nii.gz and segmentation.nii.gz (or FOLDER/data/case_00000), resampled " +
				"and normalised when loaded",
			"or as the reference prepares it: preprocessed_files.pkl (or .json), case_00000.pkl, " +
				"nifti/case_00000/segmentation.nii.gz, read as it is, without Python",
		},
		files: map[string]*onnxfile.Graph{
			".cache/plumbline/models/3d-unet/3dunet_kits19_128x128x128.onnx":          tinymodel.UNet3D(1),
			".cache/plumbline/models/3d-unet/3dunet_kits19_128x128x128_dynbatch.onnx": tinymodel.UNet3D(-1),
		},
		scores: map[string]map[string]float64{"out/3d-unet-smoke": published, "out/3d-unet-prepared-smoke": prepared},
		also:   []form{{model + "--dataset kits19/data --count 3", published}, {model + "--dataset listed", listed}},
	}}
}
