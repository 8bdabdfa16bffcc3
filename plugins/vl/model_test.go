package vl

import (
	"fmt"
	"math"
	"strings"
	"testing"

	drawn "github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Categories, Parameters int
	Processor              float64 `json:"processor_minutes"`
	Train                  int     `json:"train_products"`
	Calibration            int     `json:"calibration_products"`
	Eval                   int     `json:"eval_products"`

	Floor         map[string]float64
	PictureHidden map[string]float64 `json:"picture_hidden"`
	TitleHidden   map[string]float64 `json:"title_hidden"`
}

// TestCardIsThatOfTheData: sizes are those of the sets, and the floor is the scorer's.
func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.Categories != drawn.Categories || c.Train != drawn.TrainCount || c.Calibration != drawn.CalibrationCount ||
		c.Eval != drawn.EvalCount {
		t.Errorf("the card %+v is not that of the data", c)
	}
	truths, err := generatedCatalogue{drawn.Eval()}.Truths(0)
	if err != nil {
		t.Fatal(err)
	}
	got := newProductScorer(truths, endpointsForm).trivialResult.CategoryF1
	if math.Abs(got-c.Floor[categoryF1Metric]) > 1e-4 {
		t.Errorf("the floor is %v, the card says %v", got, c.Floor[categoryF1Metric])
	}
}

// TestModelIsNotPerfect: a fault of scoring shows, for most answers are right, and not all.
func TestModelIsNotPerfect(t *testing.T) {
	for _, f := range manifesttest.ReadCard[facts](t).Files {
		if v, _ := f.Metric(categoryF1Metric); v < 0.8 || v >= 0.999 {
			t.Errorf("%s: category_f1 is %v, want 0.8 or more, and not all", f.Name, v)
		}
	}
}

func TestReadmeIsThatOfTheCard(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	manifesttest.CheckReadme(t, c.ModelCard, func(f manifest.CardFile) string {
		v := [3]float64{}
		for i, name := range []string{categoryF1Metric, brandMetric, secondHandF1Metric} {
			v[i], _ = f.Metric(name)
		}
		return fmt.Sprintf("%.4f | %.2f | %.4f", v[0], v[1], v[2])
	})
	for name, m := range map[string]map[string]float64{
		"a model that ignores its inputs": c.Floor, "picture hidden": c.PictureHidden, "title hidden": c.TitleHidden,
	} {
		manifesttest.CheckReadmeRow(t, strings.Join([]string{"|", name, "|",
			fmt.Sprintf("%.4f | %.2f | %.4f", m[categoryF1Metric], m[brandMetric], m[secondHandF1Metric]), "|"}, " "))
	}
}
