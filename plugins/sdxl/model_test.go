package sdxl

import (
	"fmt"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/captioned"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Parameters map[string]int

	TrainPictures       int `json:"train_pictures"`
	ReferencePictures   int `json:"reference_pictures"`
	CalibrationCaptions int `json:"calibration_captions"`
	EvalCaptions        int `json:"eval_captions"`
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainPictures != captioned.TrainCount || c.ReferencePictures != captioned.ReferenceCount ||
		c.EvalCaptions != captioned.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

// TestInt8LiesInTheRanges of half a percent and of ten percent around what FP32 measured.
func TestInt8LiesInTheRanges(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	whole, _ := card.PartFile(unetPart, "fp32")
	small, _ := card.PartFile(unetPart, "int8")
	for name, share := range map[string]float64{"CLIP_SCORE": 0.005, "FID_SCORE": 0.1} {
		w, ok := whole.Metric(name)
		s, ok2 := small.Metric(name)
		if !ok || !ok2 || s < w*(1-share) || s > w*(1+share) {
			t.Errorf("%s: %v in INT8, %v in FP32", name, s, w)
		}
	}
}

// TestModelIsSmall: what is embedded, the scorer's networks and both precisions together, has at most 5 MB.
func TestModelIsSmall(t *testing.T) {
	var names []string
	sum := int64(0)
	for _, f := range manifesttest.ReadCard[facts](t).Files {
		if !slices.Contains(names, f.Name) {
			names, sum = append(names, f.Name), sum+f.Size
		}
		if f.Size > 4e6 {
			t.Errorf("%s has %d bytes", f.Name, f.Size)
		}
	}
	if sum > 5e6 {
		t.Errorf("%d bytes in %v", sum, names)
	}
}

// TestReadmeHasTheFiguresOfTheCard wants the scores beside the UNet of each precision.
func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	for _, f := range manifesttest.ReadCard[facts](t).Files {
		scores := ""
		if clip, ok := f.Metric("CLIP_SCORE"); ok && f.Part == unetPart {
			fid, _ := f.Metric("FID_SCORE")
			scores = fmt.Sprintf("%.3f, %.4f ", clip, fid)
		}
		manifesttest.CheckReadmeRow(t, fmt.Sprintf("| `%s` | %s| %d | `%s` |", f.Name, scores, f.Size, f.SHA256))
	}
}
