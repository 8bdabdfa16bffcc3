package unet3d

import (
	"fmt"
	"math"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

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

// headFacts is model/brats/card.json.
type headFacts struct {
	manifest.ModelCard

	Side       int // voxels a side
	Parameters int // of the network, batch normalisation included

	TrainHeads       int `json:"train_heads"`
	CalibrationHeads int `json:"calibration_heads"`
	EvalHeads        int `json:"eval_heads"`

	ProcessorMinutes float64 `json:"processor_minutes"`

	// Without is the DICE of the FP32 file where a channel is 0 everywhere: "t1", "t1ce", "t2", "flair".
	Without map[string]float64
}

// TestEachChannelIsNeeded: the figures without one, which the training script measured, are far below the whole.
func TestEachChannelIsNeeded(t *testing.T) {
	card := manifesttest.ReadCard[headFacts](t, "brats")
	if card.TrainHeads != volumes.HeadTrainCount || card.CalibrationHeads != volumes.HeadCalibrationCount ||
		card.EvalHeads != volumes.HeadEvalCount || card.Side != 32 {
		t.Errorf("the card's sizes of sets %+v are not those of the data", card)
	}
	whole, _ := card.Files[0].Metric("DICE")
	for _, channel := range []string{"t1", "t1ce", "t2", "flair"} {
		if left, ok := card.Without[channel]; !ok || left > whole-0.2 {
			t.Errorf("without %s the DICE is %v, of %v", channel, left, whole)
		}
	}
	for _, file := range card.Files {
		dice, _ := file.Metric("DICE")
		sum := 0.0
		for _, name := range []string{"whole tumour DICE", "tumour core DICE", "enhancing tumour DICE"} {
			region, _ := file.Metric(name)
			sum += region
		}
		if dice < 0.8 || dice > 0.95 || dice < 0.99*whole || math.Abs(dice-sum/3) > 1e-9 {
			t.Errorf("%s: DICE %v, of the regions %v; want 0.8 to 0.95, their mean, 99 %% of FP32", file.Name, dice, sum/3)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCardOfBraTS(t *testing.T) {
	card := manifesttest.ReadCard[headFacts](t, "brats")
	manifesttest.CheckReadme(t, card.ModelCard, func(f manifest.CardFile) string {
		var figures [4]float64
		for k, name := range []string{"DICE", "whole tumour DICE", "tumour core DICE", "enhancing tumour DICE"} {
			figures[k], _ = f.Metric(name)
		}
		return fmt.Sprintf("%.4f | %.4f | %.4f | %.4f", figures[0], figures[1], figures[2], figures[3])
	}, "brats")
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	manifesttest.CheckReadme(t, card.ModelCard, func(f manifest.CardFile) string {
		dice, _ := f.Metric("DICE")
		classes := card.Classes[f.Precision]
		return fmt.Sprintf("%.4f | %.4f | %.4f", dice, classes["kidney"], classes["tumour"])
	})
}
