package model

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/articles"
	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestCardIsThatOfTheFiles(t *testing.T) { manifesttest.CheckFiles(t, Card().Card, Bytes) }

func TestCardHasNoUnknownFields(t *testing.T) {
	manifesttest.CheckFields(t, cardText, new(Facts))
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := Card()
	if c.TrainArticles != articles.TrainCount || c.CalibrationArticles != articles.CalibrationCount || c.EvalArticles != articles.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestTokenizerIsThatOfTheCard(t *testing.T) {
	tokenizer, err := bpe.ParseJSON(Tokenizer(), bpe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tokenizer.Size() != Card().Vocabulary {
		t.Errorf("the tokenizer has %d tokens, the card says %d", tokenizer.Size(), Card().Vocabulary)
	}
	for i, name := range []string{"<|end|>", "<|article|>", "<|summary|>"} {
		if got := tokenizer.Token(int32(i)); got != name {
			t.Errorf("token %d is %q, want %q", i, got, name)
		}
	}
}

func TestSummariesBeatLeadingSentences(t *testing.T) {
	for _, file := range Card().Files {
		for _, kind := range []string{"rouge1", "rouge2", "rougeL", "rougeLsum"} {
			value, ok := file.Metric(kind)
			lead := Card().Lead[kind]
			if !ok || lead <= 0 || value < 2*lead || value >= 99.9 {
				t.Errorf("%s: %s is %v %%, that of leading sentences %v %%: want at least twice as much, and not all", file.Name, kind, value, lead)
			}
		}
	}
}

func TestInt8KeepsItsShare(t *testing.T) {
	whole, _ := Card().File("fp32")
	small, _ := Card().File("int8")
	for _, m := range whole.Metrics {
		if v, ok := small.Metric(m.Name); !ok || v < 0.99*m.Value {
			t.Errorf("int8: %s is %v, want at least 99 %% of %v", m.Name, v, m.Value)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, Card().Card, func(f manifest.CardFile) string {
		value := func(kind string) float64 { v, _ := f.Metric(kind); return v }
		return fmt.Sprintf("%.1f | %.1f | %.1f | %.1f", value("rouge1"), value("rouge2"), value("rougeL"), value("rougeLsum"))
	})
	lead := Card().Lead
	manifesttest.CheckReadmeRow(t, fmt.Sprintf("| first three sentences | %.1f | %.1f | %.1f | %.1f |", lead["rouge1"], lead["rouge2"], lead["rougeL"], lead["rougeLsum"]))
}

func TestCallersOwnTheBytes(t *testing.T) { manifesttest.CheckOwned(t, Bytes, Tokenizer) }
