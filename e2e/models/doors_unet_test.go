package models

import (
	"errors"
	"maps"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// unetDoors are the doors of medical segmentation.
func unetDoors() []door {
	published, prepared, listed := map[string]float64{}, map[string]float64{}, map[string]float64{}
	heads, preparedHeads := map[string]float64{}, map[string]float64{}
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
			"or as prepared by the reference: preprocessed_files.pkl (or .json), case_00000.pkl, " +
				"nifti/case_00000/segmentation.nii.gz, read directly, without Python",
		},
		files: map[string]*onnxfile.Graph{
			".cache/plumbline/models/3d-unet/3dunet_kits19_128x128x128.onnx":          tinymodel.UNet3D(1),
			".cache/plumbline/models/3d-unet/3dunet_kits19_128x128x128_dynbatch.onnx": tinymodel.UNet3D(-1),
		},
		scores: map[string]map[string]float64{"out/3d-unet-smoke": published, "out/3d-unet-prepared-smoke": prepared},
		also:   []form{{model + "--dataset kits19/data --count 3", published}, {model + "--dataset listed", listed}},
	}, {
		model: "3d-unet-brats", queries: 2, // of 128 MB each
		data: func(dir string) error {
			whole, err1 := officialdata.BraTS(filepath.Join(dir, "brats"))
			one, err2 := officialdata.BraTSPreprocessed(filepath.Join(dir, "build"))
			maps.Copy(heads, whole)
			maps.Copy(preparedHeads, one)
			return errors.Join(err1, err2, officialdata.BraTSRenamed(filepath.Join(dir, "renamed")))
		},
		layouts: []string{
			"as published: FOLDER/HGG/CASE/CASE_t1.nii.gz, with _t1ce, _t2, _flair and _seg, and FOLDER/LGG, cropped and " +
				"normalised when loaded",
			"or as renamed by the reference: imagesTr/NAME_0000.nii.gz to NAME_0003.nii.gz, labelsTr/NAME.nii.gz",
			"or as prepared by it: preprocessed_files.pkl and NAME.pkl, read directly, without Python, with labelsTr next to " +
				"them or in raw_data/nnUNet_raw_data/Task043_BraTS2019",
		},
		files: map[string]*onnxfile.Graph{
			".cache/plumbline/models/3d-unet-brats/224_224_160.onnx":            tinymodel.BraTS(1),
			".cache/plumbline/models/3d-unet-brats/224_224_160_dyanmic_bs.onnx": tinymodel.BraTS(-1),
		},
		scores: map[string]map[string]float64{"out/3d-unet-brats-smoke": heads},
		also: []form{{"--model 224_224_160.onnx --dataset build", preparedHeads},
			{"--model 224_224_160_dyanmic_bs.onnx --batch 2 --dataset renamed --count 2", heads}},
	}}
}
