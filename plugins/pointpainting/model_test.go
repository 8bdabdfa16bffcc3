package pointpainting

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/streets"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	SegmentationParameters int `json:"segmentation_parameters"`
	DetectorParameters     int `json:"detector_parameters"`

	TrainFrames       int `json:"train_frames"`
	CalibrationFrames int `json:"calibration_frames"`
	EvalFrames        int `json:"eval_frames"`

	ProcessorMinutes float64 `json:"processor_minutes"`

	// What the training script measured of the FP32 files with something taken from the points: the scores of the
	// pictures, or intensity and elongation. Percents, by class, and their mean as "Total".
	Whole, Unpainted map[string]float64
	WithoutIntensity map[string]float64 `json:"without_intensity"`
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainFrames != streets.TrainCount || c.CalibrationFrames != streets.CalibrationCount ||
		c.EvalFrames != streets.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

// shares are mAP and the precision of each class.
func shares(f manifest.CardFile) (mean float64, classes [3]float64) {
	mean, _ = f.Metric("mAP")
	for k, name := range []string{"Pedestrian AP", "Cyclist AP", "Car AP"} {
		classes[k], _ = f.Metric(name)
	}
	return mean, classes
}

func TestPrecisionIsGoodAndNotPerfect(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	whole, _ := shares(card.Files[0])
	for _, file := range card.Files {
		mean, classes := shares(file)
		of := (classes[0] + classes[1] + classes[2]) / 3
		if mean < 0.6 || mean > 0.95 || math.Abs(mean-of) > 1e-9 || mean < 0.999*whole {
			t.Errorf("%s: mAP %v, of the classes %v; want 0.6 to 0.95, their mean, 99.9 %% of FP32", file.Name, mean, classes)
		}
	}
}

// TestLidarAndPicturesAreNeeded: without the scores of the pictures, cyclists and pedestrians are not told apart, and
// without intensity cars are not told from hedges and crates.
func TestLidarAndPicturesAreNeeded(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	for _, name := range []string{"Pedestrian", "Cyclist"} {
		if left, ok := card.Unpainted[name]; !ok || left > card.Whole[name]-30 {
			t.Errorf("without painting, %s has %v %%, of %v %%", name, left, card.Whole[name])
		}
	}
	if left, ok := card.WithoutIntensity["Car"]; !ok || left > card.Whole["Car"]-30 {
		t.Errorf("without intensity, Car has %v %%, of %v %%", left, card.Whole["Car"])
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	manifesttest.CheckReadme(t, card.ModelCard, func(f manifest.CardFile) string {
		mean, classes := shares(f)
		return fmt.Sprintf("%.4f | %.4f | %.4f | %.4f", mean, classes[0], classes[1], classes[2])
	})
	for what, found := range map[string]map[string]float64{
		"all inputs":                card.Whole,
		"no scores of the pictures": card.Unpainted, "no intensity and no elongation": card.WithoutIntensity,
	} {
		row := "| " + what
		for _, name := range []string{"Total", "Pedestrian", "Cyclist", "Car"} {
			row += fmt.Sprintf(" | %.4f", found[name]/100)
		}
		manifesttest.CheckReadmeRow(t, strings.TrimSpace(row)+" |")
	}
}
