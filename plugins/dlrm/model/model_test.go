package model

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestCardIsThatOfTheFiles(t *testing.T) { manifesttest.CheckFiles(t, Card().Card, Bytes) }

func TestCardHasNoUnknownFields(t *testing.T) {
	manifesttest.CheckFields(t, cardText, new(Facts))
}

func TestCardIsThatOfTheData(t *testing.T) {
	c, rows := Card(), 0
	for _, n := range clicks.Rows() {
		rows += n
	}
	if c.Tables != clicks.Tables || c.Rows != rows || c.TrainPairs > clicks.TrainCount || c.EvalPairs != clicks.EvalCount {
		t.Errorf("the card has %d tables of %d rows, %d pairs and %d; the data %d of %d, %d and %d",
			c.Tables, c.Rows, c.TrainPairs, c.EvalPairs, clicks.Tables, rows, clicks.TrainCount, clicks.EvalCount)
	}
}

func TestAUCIsGoodAndNotPerfect(t *testing.T) {
	for _, file := range Card().Files {
		if auc, _ := file.Metric("AUC"); auc < 80 || auc > 86 {
			t.Errorf("%s: AUC %v %%, want 80 to 86", file.Name, auc)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, Card().Card, func(f manifest.CardFile) string {
		auc, _ := f.Metric("AUC")
		return fmt.Sprintf("%.3f", auc)
	})
}

func TestCallersOwnTheBytes(t *testing.T) { manifesttest.CheckOwned(t, Bytes) }
