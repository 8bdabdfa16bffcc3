package sentencepiece

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// cases are what SentencePiece, or transformers, gave for a model; ../bpe/testdata/make.py writes them.
type cases struct {
	Options struct{ Raw, Legacy bool }
	Rows    []struct {
		Text        *string
		IDs         []int32
		WithSpecial []int32 `json:"with_special"`
		Decode      []int32
		Decoded     string
		DecodedAll  string `json:"decoded_all"`
	}
}

func TestModels(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "models", "*", "cases.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var c cases
			golden.ReadJSON(t, path, &c)
			model := openModel(t, dir)
			if c.Options.Raw {
				c.checkModel(t, model)
				return
			}
			llama, err := NewLlama(model, LlamaOptions{Legacy: c.Options.Legacy})
			if err != nil {
				t.Fatal(err)
			}
			c.checkLlama(t, llama)
		})
	}
}

func openModel(t testing.TB, dir string) *Model {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "tokenizer.model"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func (c cases) checkModel(t *testing.T, model *Model) {
	for _, r := range c.Rows {
		ids := r.Decode
		if r.Text != nil {
			ids = r.IDs
			if got := model.Encode(nil, *r.Text); !slices.Equal(got, r.IDs) {
				t.Errorf("%+q: ids\n%v, want\n%v", *r.Text, got, r.IDs)
			}
		}
		if got, err := model.Decode(ids); err != nil || got != r.Decoded {
			t.Errorf("%v: %+q, %v; want %+q", ids, got, err, r.Decoded)
		}
	}
}

func (c cases) checkLlama(t *testing.T, llama *Llama) {
	for _, r := range c.Rows {
		ids := r.Decode
		if r.Text != nil {
			ids = r.IDs
			if got := llama.EncodePlain(nil, *r.Text); !slices.Equal(got, r.IDs) {
				t.Errorf("%+q: ids\n%v, want\n%v", *r.Text, got, r.IDs)
			}
			if got := llama.Encode(nil, *r.Text); !slices.Equal(got, r.WithSpecial) {
				t.Errorf("%+q: with special tokens %v, want %v", *r.Text, got, r.WithSpecial)
			}
		}
		if got, err := llama.Decode(ids); err != nil || got != r.Decoded {
			t.Errorf("%v: %+q, %v; want %+q", ids, got, err, r.Decoded)
		}
		if got, err := llama.DecodeAll(ids); err != nil || got != r.DecodedAll {
			t.Errorf("%v: all %+q, %v; want %+q", ids, got, err, r.DecodedAll)
		}
	}
}
