package bert

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/questions"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Layers     int
	Width      int
	Parameters int
	Vocabulary int // tokens

	TrainPassages       int `json:"train_passages"`
	CalibrationPassages int `json:"calibration_passages"`
	EvalPassages        int `json:"eval_passages"`
	EvalFeatures        int `json:"eval_features"` // samples: a long passage gives several for each question

	ExactMatch map[string]float64 `json:"exact_match"` // in percent, by precision
}

// vocab is the vocabulary of the embedded model.
func vocab(t *testing.T) []byte {
	t.Helper()
	text, err := modelFiles.ReadFile("model/vocab.txt")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainPassages != questions.TrainCount || c.CalibrationPassages != questions.CalibrationCount ||
		c.EvalPassages != questions.EvalCount ||
		c.EvalFeatures != drawnFeatures {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
	v, err := wordpiece.New(vocab(t))
	if err != nil {
		t.Fatal(err)
	}
	if v.Size() != c.Vocabulary {
		t.Errorf("%d tokens, the card says %d", v.Size(), c.Vocabulary)
	}
}

// TestVocabularyKnowsTheData finds no unknown token in what is evaluated on.
func TestVocabularyKnowsTheData(t *testing.T) {
	v, err := wordpiece.New(vocab(t))
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
	card := manifesttest.ReadCard[facts](t)
	reference, _ := card.File("fp32")
	best, _ := reference.Metric("F1")
	for _, file := range card.Files {
		if f1, _ := file.Metric("F1"); f1 < 80 || f1 > 99 || f1 < 0.99*best {
			t.Errorf("%s: F1 %v %%, want 80 to 99 and 99 %% of FP32's %v", file.Name, f1, best)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	manifesttest.CheckReadme(t, card.ModelCard, func(f manifest.CardFile) string {
		f1, _ := f.Metric("F1")
		return fmt.Sprintf("%.2f | %.2f", f1, card.ExactMatch[f.Precision])
	})
}
