package model

import (
	_ "embed"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// Strings, because they cannot be written to.
var (
	//go:embed retinanet_fp32.onnx
	fp32Model string
	//go:embed retinanet_int8.onnx
	int8Model string
	//go:embed card.json
	cardText string
)

// Bytes returns the ONNX file of a precision: "fp32", or "int8" (static QDQ, UInt8 activations, Int8 weights per
// channel; scores and boxes in floating point). The caller owns the bytes. There is no other: nil.
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

	Classes    int
	Side       int // pixels of the input's sides
	Anchors    int
	Parameters int // of the network, batch normalisation included

	TrainPictures       int     `json:"train_pictures"`
	CalibrationPictures int     `json:"calibration_pictures"`
	EvalPictures        int     `json:"eval_pictures"`
	ProcessorMinutes    float64 `json:"processor_minutes"` // of the training, on its threads together
}

// Card returns the figures of the model card.
func Card() Facts { return manifest.MustReadCard[Facts](cardText) }
