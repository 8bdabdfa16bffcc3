package model

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Strings, because they cannot be written to.
var (
	//go:embed resnet_fp32.onnx
	fp32Model string
	//go:embed resnet_int8.onnx
	int8Model string
	//go:embed card.json
	cardText string
)

// FP32 returns the ONNX file of the model in 32-bit floating point. The caller owns the bytes.
func FP32() []byte { return []byte(fp32Model) }

// INT8 returns the ONNX file of the quantised model: static QDQ, UInt8 activations, Int8 weights per channel. The
// caller owns the bytes.
func INT8() []byte { return []byte(int8Model) }

// Facts are the figures of the model card.
type Facts struct {
	Classes    int
	Parameters int // of the network, batch normalisation included
	Files      []File

	TrainPictures       int     `json:"train_pictures"`
	CalibrationPictures int     `json:"calibration_pictures"`
	EvalPictures        int     `json:"eval_pictures"`
	TrainingMinutes     float64 `json:"training_minutes"` // of wall time, drawing the pictures included
	TrainedWith         struct {
		Cores       int
		Machine     string
		Torch       string
		ONNXRuntime string
	} `json:"trained_with"`
}

// File is one embedded ONNX file.
type File struct {
	Name      string  // its name in the sources: "resnet_fp32.onnx"
	Precision string  // "fp32" or "int8"
	Size      int     // bytes
	SHA256    string  // lower-case hex
	Top1      float64 // percent of the evaluation set that it answers rightly
}

// Card returns the figures of the model card.
func Card() Facts {
	var f Facts
	if err := json.Unmarshal([]byte(cardText), &f); err != nil {
		panic(fmt.Sprintf("embedded card.json: %v", err)) // the build is broken: a test holds the file
	}
	return f
}

// File returns the facts of the file of a precision, and whether there is one.
func (f Facts) File(precision string) (File, bool) {
	for _, file := range f.Files {
		if file.Precision == precision {
			return file, true
		}
	}
	return File{}, false
}
