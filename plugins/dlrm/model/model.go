package model

import (
	_ "embed"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// Strings, because they cannot be written to.
var (
	//go:embed dlrm_fp32.onnx
	fp32Model string
	//go:embed dlrm_int8.onnx
	int8Model string
	//go:embed card.json
	cardText string
)

// Bytes returns the ONNX file of a precision: "fp32", or "int8" (embeddings in Int8). The caller owns the bytes. There is no
// other: nil.
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

	Tables     int
	Rows       int // of all tables
	Parameters int // of the network
	TrainPairs int `json:"train_pairs"`
	EvalPairs  int `json:"eval_pairs"`
}

// Card returns the figures of the model card.
func Card() Facts { return manifest.MustReadCard[Facts](cardText) }
