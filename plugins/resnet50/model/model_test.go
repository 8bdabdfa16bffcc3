package model

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestCardIsThatOfTheFiles(t *testing.T) { manifesttest.CheckFiles(t, Card().Card, Bytes) }

func TestCardHasNoUnknownFields(t *testing.T) {
	manifesttest.CheckFields(t, cardText, new(Facts))
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := Card()
	if c.Classes != synthetic.ImageClasses {
		t.Errorf("%d classes, the data have %d", c.Classes, synthetic.ImageClasses)
	}
	if c.TrainPictures != synthetic.ImageTrainCount || c.CalibrationPictures != synthetic.ImageCalibrationCount ||
		c.EvalPictures != synthetic.ImageEvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestAccuracyIsGoodAndNotPerfect(t *testing.T) {
	for _, file := range Card().Files {
		if top1, _ := file.Metric("accuracy"); top1 < 90 || top1 > 98 {
			t.Errorf("%s: top-1 %v %%, want 90 to 98", file.Name, top1)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, Card().Card, func(f manifest.CardFile) string {
		top1, _ := f.Metric("accuracy")
		return fmt.Sprintf("%.1f", top1)
	})
}

func TestCallersOwnTheBytes(t *testing.T) { manifesttest.CheckOwned(t, Bytes) }
