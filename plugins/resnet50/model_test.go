package resnet50

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Classes    int
	Parameters int // of the network, batch normalisation included

	TrainPictures       int `json:"train_pictures"`
	CalibrationPictures int `json:"calibration_pictures"`
	EvalPictures        int `json:"eval_pictures"`
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.Classes != synthetic.ImageClasses {
		t.Errorf("%d classes, the data have %d", c.Classes, synthetic.ImageClasses)
	}
	if c.TrainPictures != synthetic.ImageTrainCount || c.CalibrationPictures != synthetic.ImageCalibrationCount ||
		c.EvalPictures != synthetic.ImageEvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestAccuracyIsGoodAndNotPerfect(t *testing.T) {
	for _, file := range manifesttest.ReadCard[facts](t).Files {
		if top1, _ := file.Metric("accuracy"); top1 < 90 || top1 > 98 {
			t.Errorf("%s: top-1 %v %%, want 90 to 98", file.Name, top1)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, manifesttest.ReadCard[facts](t).ModelCard, func(f manifest.CardFile) string {
		top1, _ := f.Metric("accuracy")
		return fmt.Sprintf("%.1f", top1)
	})
}
