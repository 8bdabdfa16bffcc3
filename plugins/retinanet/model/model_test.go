package model

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestCardIsThatOfTheFiles(t *testing.T) { manifesttest.CheckFiles(t, Card().Card, Bytes) }

func TestCardHasNoUnknownFields(t *testing.T) {
	manifesttest.CheckFields(t, cardText, new(struct {
		Facts
		TrainedWith any `json:"trained_with"` // says more than the manifest reads
	}))
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := Card()
	if c.Classes != scenes.Classes {
		t.Errorf("%d classes, the data have %d", c.Classes, scenes.Classes)
	}
	if c.TrainPictures != scenes.TrainCount || c.CalibrationPictures != scenes.CalibrationCount || c.EvalPictures != scenes.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestMAPIsGoodAndNotPerfect(t *testing.T) {
	fp32, _ := Card().File("fp32")
	int8, _ := Card().File("int8")
	full, ok := fp32.Metric("mAP")
	if !ok || full < 40 || full > 90 {
		t.Errorf("FP32: mAP %v %%, want 40 to 90", full)
	}
	if quantised, ok := int8.Metric("mAP"); !ok || quantised < 0.99*full {
		t.Errorf("INT8: mAP %v %%, want at least 99 %% of %v", quantised, full)
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, Card().Card, func(f manifest.CardFile) string {
		full, _ := f.Metric("mAP")
		return fmt.Sprintf("%.2f", full)
	})
}

func TestCallersOwnTheBytes(t *testing.T) { manifesttest.CheckOwned(t, Bytes) }
