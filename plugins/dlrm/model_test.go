package dlrm

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Tables     int
	Rows       int // of all tables
	Parameters int // of the network
	TrainPairs int `json:"train_pairs"`
	EvalPairs  int `json:"eval_pairs"`
}

func TestCardIsThatOfTheData(t *testing.T) {
	c, rows := manifesttest.ReadCard[facts](t), 0
	for _, n := range clicks.Rows() {
		rows += n
	}
	if c.Tables != clicks.Tables || c.Rows != rows || c.TrainPairs > clicks.TrainCount || c.EvalPairs != clicks.EvalCount {
		t.Errorf("the card has %d tables of %d rows, %d pairs and %d; the data %d of %d, %d and %d",
			c.Tables, c.Rows, c.TrainPairs, c.EvalPairs, clicks.Tables, rows, clicks.TrainCount, clicks.EvalCount)
	}
}

func TestAUCIsGoodAndNotPerfect(t *testing.T) {
	for _, file := range manifesttest.ReadCard[facts](t).Files {
		if auc, _ := file.Metric("AUC"); auc < 80 || auc > 86 {
			t.Errorf("%s: AUC %v %%, want 80 to 86", file.Name, auc)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, manifesttest.ReadCard[facts](t).ModelCard, func(f manifest.CardFile) string {
		auc, _ := f.Metric("AUC")
		return fmt.Sprintf("%.3f", auc)
	})
}
