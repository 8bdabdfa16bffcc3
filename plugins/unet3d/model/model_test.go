package model

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestCardIsThatOfTheFiles(t *testing.T) { manifesttest.CheckFiles(t, Card().Card, Bytes) }

func TestCardHasNoUnknownFields(t *testing.T) {
	manifesttest.CheckFields(t, cardText, new(Facts))
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := Card()
	if c.TrainVolumes != volumes.TrainCount || c.CalibrationVolumes != volumes.CalibrationCount || c.EvalVolumes != volumes.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestDICEIsGoodAndNotPerfect(t *testing.T) {
	var fp32 float64
	for _, file := range Card().Files {
		dice, _ := file.Metric("DICE")
		classes := Card().Classes[file.Precision]
		if mean := (classes["kidney"] + classes["tumour"]) / 2; dice < 0.8 || dice > 0.95 || dice > mean+1e-5 || dice < mean-1e-5 {
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
	manifesttest.CheckReadme(t, Card().Card, func(f manifest.CardFile) string {
		dice, _ := f.Metric("DICE")
		classes := Card().Classes[f.Precision]
		return fmt.Sprintf("%.4f | %.4f | %.4f", dice, classes["kidney"], classes["tumour"])
	})
}

func TestCallersOwnTheBytes(t *testing.T) { manifesttest.CheckOwned(t, Bytes) }
