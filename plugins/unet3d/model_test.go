package unet3d

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.Card

	Window     int // voxels a side
	Parameters int // of the network, batch normalisation included

	TrainVolumes       int `json:"train_volumes"`
	CalibrationVolumes int `json:"calibration_volumes"`
	EvalVolumes        int `json:"eval_volumes"`

	// Classes are the DICE coefficients of each class, by precision: "kidney" and "tumour".
	Classes map[string]map[string]float64 `json:"class_dice"`
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainVolumes != volumes.TrainCount || c.CalibrationVolumes != volumes.CalibrationCount ||
		c.EvalVolumes != volumes.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestDICEIsGoodAndNotPerfect(t *testing.T) {
	var fp32 float64
	card := manifesttest.ReadCard[facts](t)
	for _, file := range card.Files {
		dice, _ := file.Metric("DICE")
		classes := card.Classes[file.Precision]
		mean := (classes["kidney"] + classes["tumour"]) / 2
		if dice < 0.8 || dice > 0.95 || dice > mean+1e-5 || dice < mean-1e-5 {
			t.Errorf("%s: DICE %v, of the classes %v; want 0.8 to 0.95, their mean", file.Name, dice, classes)
		}
		if file.Precision == "fp32" {
			fp32 = dice
		} else if dice < 0.99*fp32 {
			t.Errorf("%s keeps less than 99 %% of FP32", file.Name)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	manifesttest.CheckReadme(t, card.Card, func(f manifest.CardFile) string {
		dice, _ := f.Metric("DICE")
		classes := card.Classes[f.Precision]
		return fmt.Sprintf("%.4f | %.4f | %.4f", dice, classes["kidney"], classes["tumour"])
	})
}
