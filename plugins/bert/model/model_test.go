package model

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/questions"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestCardIsThatOfTheFiles(t *testing.T) { manifesttest.CheckFiles(t, Card().Card, Bytes) }

func TestCardHasNoUnknownFields(t *testing.T) {
	manifesttest.CheckFields(t, cardText, new(Facts))
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := Card()
	if c.TrainPassages != questions.TrainCount || c.CalibrationPassages != questions.CalibrationCount || c.EvalPassages != questions.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
	v, err := wordpiece.New(Vocab())
	if err != nil {
		t.Fatal(err)
	}
	if v.Size() != c.Vocabulary {
		t.Errorf("%d tokens, the card says %d", v.Size(), c.Vocabulary)
	}
}

// TestVocabularyKnowsTheData finds no unknown token in what is evaluated on.
func TestVocabularyKnowsTheData(t *testing.T) {
	v, err := wordpiece.New(Vocab())
	if err != nil {
		t.Fatal(err)
	}
	unknown, _ := v.ID(wordpiece.Unknown)
	for _, p := range questions.Eval().Paragraphs(0, questions.EvalCount) {
		for _, id := range v.Encode(nil, p.Context) {
			if id == unknown {
				t.Fatalf("an unknown token in %q", p.Context)
			}
		}
	}
}

func TestAccuracyIsGoodAndNotPerfect(t *testing.T) {
	reference, _ := Card().File("fp32")
	best, _ := reference.Metric("F1")
	for _, file := range Card().Files {
		if f1, _ := file.Metric("F1"); f1 < 80 || f1 > 99 || f1 < 0.99*best {
			t.Errorf("%s: F1 %v %%, want 80 to 99 and 99 %% of FP32's %v", file.Name, f1, best)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, Card().Card, func(f manifest.CardFile) string {
		f1, _ := f.Metric("F1")
		return fmt.Sprintf("%.2f | %.2f", f1, Card().ExactMatch[f.Precision])
	})
}

func TestCallersOwnTheBytes(t *testing.T) { manifesttest.CheckOwned(t, Bytes, Vocab) }
