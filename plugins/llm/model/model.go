package model

import (
	_ "embed"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// Strings, because they cannot be written to.
var (
	//go:embed llm_fp32.onnx
	fp32Model string
	//go:embed llm_int8.onnx
	int8Model string
	//go:embed tokenizer.json
	tokenizerText string
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

// Tokenizer returns the tokenizer.json of the models. The caller owns the bytes.
func Tokenizer() []byte { return []byte(tokenizerText) }

// Facts are the figures of the model card.
type Facts struct {
	manifest.Card

	Parameters int
	Vocabulary int

	TrainArticles       int `json:"train_articles"`
	CalibrationArticles int `json:"calibration_articles"`
	EvalArticles        int `json:"eval_articles"`

	// Lead is what the first three sentences of each article score as its summary, in percent, by metric.
	Lead map[string]float64 `json:"lead_baseline"`
}

// Card returns the figures of the model card.
func Card() Facts { return manifest.MustReadCard[Facts](cardText) }
