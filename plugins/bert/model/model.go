package model

import (
	_ "embed"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// Strings, because they cannot be written to.
var (
	//go:embed bert_fp32.onnx
	fp32Model string
	//go:embed bert_int8.onnx
	int8Model string
	//go:embed vocab.txt
	vocabText string
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

// Vocab returns vocab.txt: one token per line. The caller owns the bytes.
func Vocab() []byte { return []byte(vocabText) }

// Facts are the figures of the model card.
type Facts struct {
	manifest.Card

	Layers     int
	Width      int
	Parameters int
	Vocabulary int // tokens

	TrainPassages       int `json:"train_passages"`
	CalibrationPassages int `json:"calibration_passages"`
	EvalPassages        int `json:"eval_passages"`
	EvalFeatures        int `json:"eval_features"` // samples: a long passage gives several for each question

	ExactMatch map[string]float64 `json:"exact_match"` // in percent, by precision
}

// Card returns the figures of the model card.
func Card() Facts { return manifest.MustReadCard[Facts](cardText) }
