package rnnt

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Parameters       int
	TrainClips       int `json:"train_clips"`
	CalibrationClips int `json:"calibration_clips"`
	EvalClips        int `json:"eval_clips"`
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainClips != speech.TrainCount || c.CalibrationClips != speech.CalibrationCount ||
		c.EvalClips != speech.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestAccuracyIsGoodAndNotPerfect(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	reference, _ := card.PartFile(encoderPart, "fp32")
	best, _ := reference.Metric("accuracy")
	for _, file := range card.Files {
		if accuracy, _ := file.Metric("accuracy"); accuracy < 90 || accuracy > 99.5 || accuracy < 0.99*best {
			t.Errorf("%s: accuracy %v %%, want 90 to 99.5 and 99 %% of FP32's %v", file.Name, accuracy, best)
		}
	}
}

// TestReadmeHasTheFiguresOfTheCard wants the word error rate beside the encoder of each precision, which stands for all
// of its parts.
func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	for _, f := range card.Files {
		rate := ""
		if accuracy, _ := f.Metric("accuracy"); f.Part == encoderPart {
			rate = fmt.Sprintf("%.2f ", 100-accuracy)
		}
		manifesttest.CheckReadmeRow(t, fmt.Sprintf("| `%s` | %s| %d | `%s` |", f.Name, rate, f.Size, f.SHA256))
	}
}
