package llm

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/articles"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Parameters int
	Vocabulary int

	TrainArticles       int `json:"train_articles"`
	CalibrationArticles int `json:"calibration_articles"`
	EvalArticles        int `json:"eval_articles"`

	// Lead is what the first three sentences of each article score as its summary, in percent, by metric.
	Lead map[string]float64 `json:"lead_baseline"`
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainArticles != articles.TrainCount || c.CalibrationArticles != articles.CalibrationCount ||
		c.EvalArticles != articles.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestTokenizerIsThatOfTheCard(t *testing.T) {
	opened, err := openTokenizer(language.EmbeddedTokenizer)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer := opened.(*bpe.Tokenizer)
	if want := manifesttest.ReadCard[facts](t).Vocabulary; tokenizer.Size() != want {
		t.Errorf("the tokenizer has %d tokens, the card says %d", tokenizer.Size(), want)
	}
	for i, name := range []string{"<|end|>", "<|article|>", "<|summary|>"} {
		if got := tokenizer.Token(int32(i)); got != name {
			t.Errorf("token %d is %q, want %q", i, got, name)
		}
	}
}

func TestSummariesBeatLeadingSentences(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	for _, file := range card.Files {
		for _, kind := range []string{"rouge1", "rouge2", "rougeL", "rougeLsum"} {
			value, ok := file.Metric(kind)
			lead := card.Lead[kind]
			if !ok || lead <= 0 || value < 2*lead || value >= 99.9 {
				t.Errorf("%s: %s is %v %%, that of leading sentences %v %%: want at least twice as much, and not all",
					file.Name, kind, value, lead)
			}
		}
	}
}

func TestInt8KeepsItsShare(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	whole, _ := card.File("fp32")
	small, _ := card.File("int8")
	for _, m := range whole.Metrics {
		if v, ok := small.Metric(m.Name); !ok || v < 0.99*m.Value {
			t.Errorf("int8: %s is %v, want at least 99 %% of %v", m.Name, v, m.Value)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	manifesttest.CheckReadme(t, card.ModelCard, func(f manifest.CardFile) string {
		value := func(kind string) float64 { v, _ := f.Metric(kind); return v }
		return fmt.Sprintf("%.1f | %.1f | %.1f | %.1f",
			value("rouge1"), value("rouge2"), value("rougeL"), value("rougeLsum"))
	})
	lead := card.Lead
	manifesttest.CheckReadmeRow(t, fmt.Sprintf("| first three sentences | %.1f | %.1f | %.1f | %.1f |",
		lead["rouge1"], lead["rouge2"], lead["rougeL"], lead["rougeLsum"]))
}
