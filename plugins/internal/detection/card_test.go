package detection

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// detectorCard is model/card.json of a detector that is trained on the scenes.
type detectorCard struct {
	manifest.ModelCard
	TrainedWith any `json:"trained_with"` // says more than the manifest reads

	Classes    int
	Side       int // pixels of the input's sides
	Anchors    int // of a picture of that size, or
	Places     int // where the network has none
	Parameters int // of the network, batch normalisation included

	TrainPictures       int     `json:"train_pictures"`
	CalibrationPictures int     `json:"calibration_pictures"`
	EvalPictures        int     `json:"eval_pictures"`
	ProcessorMinutes    float64 `json:"processor_minutes"` // of the training, on its threads together
}

// TestCards: the card of each detector is of the data and agrees with its README, the model is good and not perfect,
// and quantisation keeps 99 % of it.
func TestCards(t *testing.T) {
	for _, benchmark := range []string{"retinanet", "yolo"} {
		t.Run(benchmark, func(t *testing.T) {
			t.Chdir(filepath.Join("..", "..", benchmark))
			card := manifesttest.ReadCard[detectorCard](t)
			card.check(t)
			manifesttest.CheckReadme(t, card.ModelCard, fullMetric)
		})
	}
}

func (c detectorCard) check(t *testing.T) {
	if c.Classes != scenes.Classes {
		t.Errorf("%d classes, the data have %d", c.Classes, scenes.Classes)
	}
	if c.TrainPictures != scenes.TrainCount || c.CalibrationPictures != scenes.CalibrationCount ||
		c.EvalPictures != scenes.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
	fp32, _ := c.File("fp32")
	int8, _ := c.File("int8")
	full, ok := fp32.Metric("mAP")
	if !ok || full < 40 || full > 90 {
		t.Errorf("FP32: mAP %v %%, want 40 to 90", full)
	}
	if quantised, ok := int8.Metric("mAP"); !ok || quantised < 0.99*full {
		t.Errorf("INT8: mAP %v %%, want at least 99 %% of %v", quantised, full)
	}
}

// fullMetric is the figure in a row of the README beside the card.
func fullMetric(f manifest.CardFile) string {
	full, _ := f.Metric("mAP")
	return fmt.Sprintf("%.2f", full)
}
