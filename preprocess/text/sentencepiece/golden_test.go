package sentencepiece

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenModels walks tokenizer.model files with the ids of texts.
func TestGoldenModels(t *testing.T) {
	golden.Each(t, "found/*/tokenizer.model", func(t *testing.T, path string) {
		var c cases
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "rows.json"), &c.Rows)
		c.checkModel(t, openModel(t, filepath.Dir(path)))
	})
}

// TestGoldenMarian walks folders of two models and their vocabulary.
func TestGoldenMarian(t *testing.T) {
	golden.Each(t, "translation/marian/expected.json", func(t *testing.T, path string) {
		var want struct {
			Encode []struct {
				Text   string
				Pieces []string
				IDs    []int32
			}
			Decode []struct {
				IDs    []int32
				Pieces []string
				Text   string
			}
		}
		golden.ReadJSON(t, path, &want)
		m := openMarian(t, filepath.Dir(path))
		for _, c := range want.Encode {
			if got := m.Encode(nil, c.Text); !slices.Equal(got, c.IDs) {
				t.Errorf("%+q: ids %v, want %v of %q", c.Text, got, c.IDs, c.Pieces)
			}
		}
		for _, c := range want.Decode {
			if got := m.target.joinPieces(c.Pieces, m.target.file.dummyPrefix); got != c.Text {
				t.Errorf("%q: %q, want %q", c.Pieces, got, c.Text)
			}
			lost := slices.Contains(c.IDs, m.unknown) // the vocabulary lacks a piece
			if got, err := m.Decode(c.IDs); err != nil || got != strings.TrimSpace(c.Text) && !lost {
				t.Errorf("%v: %q, %v; want %q", c.IDs, got, err, c.Text)
			}
		}
		if len(want.Encode) == 0 || len(want.Decode) == 0 {
			t.Error("no cases")
		}
	})
}

func openMarian(t testing.TB, dir string) *Marian {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var models [2]*Model
	for i, name := range []string{"source.spm", "target.spm"} {
		var err error
		if models[i], err = Parse(read(name)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := NewMarian(models[0], models[1], read("vocab.json"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
