package manifest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"

	"github.com/plumbline-ml/plumbline/sdk"
)

// ModelCard contains the common fields of all model cards (card.json). A card may have more fields. The training script
// writes it, and `make cards` then measures the metrics, unrounded, with the runtime of the plugins.
type ModelCard struct {
	TrainingMinutes float64     `json:"training_minutes"` // wall time, including data generation
	TrainedWith     TrainedWith `json:"trained_with"`
	Files           []CardFile  `json:"files"`
}

// TrainedWith describes the machine and the libraries of a training.
type TrainedWith struct {
	Cores       int    `json:"cores"`
	Threads     int    `json:"threads"` // of each of its processes
	Machine     string `json:"machine"` // its architecture
	Torch       string `json:"torch"`
	ONNXRuntime string `json:"onnxruntime"`
}

// CardFile is one embedded ONNX file.
type CardFile struct {
	Name      string       `json:"name"`      // in the sources: "resnet_fp32.onnx"
	Part      string       `json:"part"`      // the part's name, if the model has several
	Precision string       `json:"precision"` // "fp32" or "int8"
	Size      int64        `json:"size"`      // bytes
	SHA256    string       `json:"sha256"`    // lower-case hex
	Metrics   []sdk.Metric `json:"metrics"`   // on the embedded data set, as the harness measures them
	// Models contains metrics of single models, by the name in the rules, for models with their own embedded data sets or
	// drawn answers.
	Models map[string][]sdk.Metric `json:"models"`
	// Audits contains the figures of compliance tests, by the model's name in the rules. A metric has the name of its
	// test.
	Audits map[string][]sdk.Metric `json:"audits"`
}

// The folder of the embedded model, and its card.
const (
	modelFolder = "model"
	cardName    = "card.json"
)

// readCard reads the card in a folder of files.
func readCard(files fs.FS, folder string) (ModelCard, error) {
	var c ModelCard
	name := path.Join(folder, cardName)
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return c, fmt.Errorf("model card: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("model card %s: %w", name, err)
	}
	return c, nil
}

// File returns the file of a precision, for a model with one part. ok is false if there is none.
func (c ModelCard) File(precision string) (CardFile, bool) { return c.PartFile("", precision) }

// PartFile returns the file of a part and a precision. ok is false if there is none.
func (c ModelCard) PartFile(part, precision string) (CardFile, bool) {
	for _, f := range c.Files {
		if f.Part == part && f.Precision == precision {
			return f, true
		}
	}
	return CardFile{}, false
}

// Metric returns the value of a metric of the file. ok is false if there is none.
func (f CardFile) Metric(name string) (float64, bool) {
	for _, m := range f.Metrics {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}
