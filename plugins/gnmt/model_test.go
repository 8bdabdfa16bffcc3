package gnmt

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/translation"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Parameters int
	TrainPairs int `json:"train_pairs"`
	EvalPairs  int `json:"eval_pairs"`
	Merges     int
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainPairs != translation.TrainCount || c.EvalPairs != translation.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

// TestTranslationsAreGoodAndNotPerfect also holds INT8 to its share of FP32.
func TestTranslationsAreGoodAndNotPerfect(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	whole, _ := c.PartFile("decoder", "fp32")
	small, _ := c.PartFile("decoder", "int8")
	for _, name := range []string{"BLEU", "sacreBLEU"} {
		fp32, ok := whole.Metric(name)
		int8, has := small.Metric(name)
		if !ok || !has || fp32 < 60 || fp32 > 90 || int8 < 0.99*fp32 {
			t.Errorf("%s: %v, INT8 %v: want 60 to 90, and 99 %% of it", name, fp32, int8)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, manifesttest.ReadCard[facts](t).ModelCard, func(f manifest.CardFile) string {
		bleu, _ := f.Metric("BLEU")
		sacre, _ := f.Metric("sacreBLEU")
		return fmt.Sprintf("%.1f | %.1f", bleu, sacre)
	})
}

// TestVocabulariesAreThoseOfTheData has no unknown piece in a sentence of known words.
func TestVocabulariesAreThoseOfTheData(t *testing.T) {
	codes, err := embeddedCodes()
	if err != nil {
		t.Fatal(err)
	}
	v, err := openVocabularies(nil, embeddedVocabulary)
	if err != nil {
		t.Fatal(err)
	}
	set := translation.Train()
	for i := range 2000 {
		for _, piece := range codes.Pieces(set.At(i).Source) {
			if id := v.source.IDs(piece); id[0] == 0 {
				t.Fatalf("sentence %d has the piece %q, which the vocabulary lacks", i, piece)
			}
		}
	}
}
