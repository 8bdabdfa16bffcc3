package dlrm3

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/preferences"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Items, Categories, Cohorts int
	Parameters                 int                           // of the network
	TrainRequests              int                           `json:"train_requests"`
	EvalRequests               int                           `json:"eval_requests"`
	Processor                  float64                       `json:"processor_minutes"`
	Floors                     map[string]map[string]float64 // metrics of who has no model
	Ablations                  map[string]map[string]float64 // of the FP32 model that a part of its inputs is taken from
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.Items != preferences.Items || c.Categories != preferences.Categories || c.Cohorts != preferences.Cohorts {
		t.Errorf("%d items, %d categories, %d cohorts are not the data's", c.Items, c.Categories, c.Cohorts)
	}
	most := preferences.EvalUsers * (preferences.Periods - preferences.TrainPeriods)
	seen := preferences.TrainUsers * preferences.TrainPeriods
	if c.EvalRequests > most || c.EvalRequests < most/2 || c.TrainRequests > seen || c.TrainRequests < seen/2 {
		t.Errorf("%d requests to learn from, %d of %d asked", c.TrainRequests, c.EvalRequests, most)
	}
}

// TestTheModelNeedsItsInputs holds what the card says of those who have no model or less than its inputs: all lose.
func TestTheModelNeedsItsInputs(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if len(c.Floors) != 3 || len(c.Ablations) != 3 {
		t.Errorf("%d floors and %d ablations, want 3 each", len(c.Floors), len(c.Ablations))
	}
	for _, file := range c.Files {
		ne, _ := file.Metric("NE")
		area, _ := file.Metric("GAUC")
		if ne < 0.55 || ne > 0.75 || area < 82 || area > 92 {
			t.Errorf("%s: NE %v and GAUC %v, want them good and not perfect", file.Name, ne, area)
		}
		for _, less := range []map[string]map[string]float64{c.Floors, c.Ablations} {
			for _, name := range slices.Sorted(maps.Keys(less)) {
				if got := less[name]; got["NE"] < ne+0.1 || got["GAUC"] > area-5 {
					t.Errorf("%s: NE %v and GAUC %v, as good as those of %s, %v and %v",
						name, got["NE"], got["GAUC"], file.Name, ne, area)
				}
			}
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	manifesttest.CheckReadme(t, c.ModelCard, func(f manifest.CardFile) string {
		ne, _ := f.Metric("NE")
		right, _ := f.Metric("accuracy")
		area, _ := f.Metric("GAUC")
		return fmt.Sprintf("%.4f | %.2f | %.2f", ne, right, area)
	})
	for _, less := range []map[string]map[string]float64{c.Floors, c.Ablations} {
		for _, got := range less {
			manifesttest.CheckReadmeRow(t, fmt.Sprintf(" | %.4f | %.2f | %.2f |", got["NE"], got["accuracy"], got["GAUC"]))
		}
	}
}
