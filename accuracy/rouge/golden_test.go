package rouge

import (
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// triples contains precision, recall and F of each variant.
type triples map[string][3]float64

type row struct {
	Reference  string   `json:"ref"`
	Prediction string   `json:"pred"`
	Stemmed    []string `json:"ref_tokens_stemmed"`
	WithStems  triples  `json:"scores_stemmed"`
	Plain      triples  `json:"scores_plain"`
}

func TestGoldenStrings(t *testing.T) {
	golden.Each(t, "scorers/rouge_strings/*/expected.json", func(t *testing.T, path string) {
		var file struct{ Rows []row }
		golden.ReadJSON(t, path, &file)
		if len(file.Rows) == 0 {
			t.Fatal("no rows")
		}
		stemming, plain := New(TokenizerOptions{Stem: true}), New(TokenizerOptions{})
		for i, r := range file.Rows {
			if got := tokens(stemming, r.Reference); !slices.Equal(got, r.Stemmed) {
				t.Errorf("row %d: tokens %q, want %q", i, got, r.Stemmed)
			}
			compare(t, i, stemming.Score(r.Reference, r.Prediction), r.WithStems)
			compare(t, i, plain.Score(r.Reference, r.Prediction), r.Plain)
		}
	})
}

func compare(t *testing.T, i int, got Scores, want triples) {
	t.Helper()
	kinds := map[string]Score{"rouge1": got.Rouge1, "rouge2": got.Rouge2, "rougeL": got.RougeL, "rougeLsum": got.RougeLsum}
	for kind, s := range kinds {
		w, ok := want[kind]
		if !ok {
			t.Errorf("row %d: no %s", i, kind)
		}
		for k, v := range [3]float64{s.Precision, s.Recall, s.F} {
			if math.Abs(v-w[k]) > 1e-15 {
				t.Errorf("row %d: %s: %v, want %v", i, kind, s, w)
				break
			}
		}
	}
}

// tokens returns the words of a text in the form that the scorer compares.
func tokens(s *TextScorer, text string) []string {
	stems := make([]string, 0, 16)
	for _, w := range s.words.tokenize(textSentences{}, text).tokens {
		for stem, n := range s.words.stems {
			if n == w {
				stems = append(stems, stem)
			}
		}
	}
	return stems
}
