package model

import (
	_ "embed"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// Strings, because they cannot be written to.
var (
	//go:embed unet3d_fp32.onnx
	fp32Model string
	//go:embed unet3d_int8.onnx
	int8Model string
	//go:embed card.json
	cardText string
)

// Bytes returns the ONNX file of a precision: "fp32", or "int8" (static QDQ, UInt8 activations, Int8 weights per
// channel). The caller owns the bytes. There is no other: nil.
func Bytes(precision string) []byte {
	switch precision {
	case "fp32":
		return []byte(fp32Model)
	case "int8":
		return []byte(int8Model)
	}
	return nil
}

// Facts are the figures of the model card.
type Facts struct {
	manifest.Card

	Window     int // voxels a side
	Parameters int // of the network, batch normalisation included

	TrainVolumes       int `json:"train_volumes"`
	CalibrationVolumes int `json:"calibration_volumes"`
	EvalVolumes        int `json:"eval_volumes"`

	// Classes are the DICE coefficients of each class, by precision: "kidney" and "tumour".
	Classes map[string]map[string]float64 `json:"class_dice"`
}

// Card returns the figures of the model card.
func Card() Facts { return manifest.MustReadCard[Facts](cardText) }
