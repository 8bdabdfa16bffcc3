package squad

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

// expected contains the arguments and the results of the official scripts.
type expected struct {
	Args struct {
		DType       string `json:"output_dtype"`
		Transposed  bool   `json:"output_transposed"`
		MaxExamples int    `json:"max_examples"`
	}
	Result struct {
		ExactMatch float64 `json:"exact_match"`
		F1         float64
	}
	Examples    int `json:"n_examples"`
	Features    int `json:"n_features"`
	Predictions map[string]string
}

func TestGoldenSquad(t *testing.T) {
	golden.Each(t, "scorers/squad/*/expected.json", func(t *testing.T, path string) {
		var want expected
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		vocab, err := os.ReadFile(filepath.Join(dir, "vocab.txt"))
		if err != nil {
			t.Fatal(err)
		}
		dtype, err := DTypes().Parse(want.Args.DType)
		if err != nil {
			t.Fatal(err)
		}
		examples := build(t, vocab, readSet(t, filepath.Join(dir, "dev-v1.1.json")))
		s := New(examples, ScoreOptions{DType: dtype, Transposed: want.Args.Transposed, MaxExamples: want.Args.MaxExamples})
		golden.AddLog(t, dir, s.Add)
		got, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		if len(examples) != want.Examples || len(s.features) != want.Features {
			t.Errorf("%d examples, %d features; want %d, %d", len(examples), len(s.features), want.Examples, want.Features)
		}
		if !near(got.ExactMatch, want.Result.ExactMatch) || !near(got.F1, want.Result.F1) {
			t.Errorf("%v, want %+v", got, want.Result)
		}
		if !maps.Equal(got.Predictions, want.Predictions) {
			for id, text := range want.Predictions {
				if got.Predictions[id] != text {
					t.Errorf("%s: %q, want %q", id, got.Predictions[id], text)
				}
			}
			t.Errorf("%d predictions, want %d", len(got.Predictions), len(want.Predictions))
		}
	})
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-12*math.Abs(want) }

type paragraph struct {
	Context string
	QAs     []struct {
		ID, Question string
		Answers      []struct{ Text string }
	}
}

func readSet(t *testing.T, path string) (paragraphs []paragraph) {
	t.Helper()
	var set struct {
		Data []struct{ Paragraphs []paragraph }
	}
	golden.ReadJSON(t, path, &set)
	for _, article := range set.Data {
		paragraphs = append(paragraphs, article.Paragraphs...)
	}
	return paragraphs
}

func build(t testing.TB, vocab []byte, paragraphs []paragraph) (examples []Example) {
	t.Helper()
	tokenizer, err := wordpiece.New(vocab)
	if err != nil {
		t.Fatal(err)
	}
	builder, err := features.NewBuilder(tokenizer, features.LengthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paragraphs {
		passage := features.NewPassage(tokenizer, p.Context)
		for _, qa := range p.QAs {
			e := Example{ID: qa.ID, Features: builder.Build(passage, qa.Question)}
			for _, a := range qa.Answers {
				e.Answers = append(e.Answers, a.Text)
			}
			examples = append(examples, e)
		}
	}
	return examples
}
