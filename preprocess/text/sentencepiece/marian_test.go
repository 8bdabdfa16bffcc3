package sentencepiece

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const smallVocabulary = `{"</s>": 0, "<unk>": 1, ">>de<<": 2, "▁a": 3, "bc": 4, "▁abc": 5, "▁": 6, "▁zz": 7,
	"<pad>": 8}`

func smallMarian(t *testing.T, vocab string) (*Marian, error) {
	t.Helper()
	m, err := Parse(small())
	if err != nil {
		t.Fatal(err)
	}
	return NewMarian(m, m, []byte(vocab))
}

func TestMarian(t *testing.T) {
	m, err := smallMarian(t, smallVocabulary)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int32{
		"abc":        {5, 0},
		"a a":        {3, 3, 0},
		"aa":         {3, 1, 0}, // the second is a piece that has no id
		"":           {0},
		">>de<< abc": {2, 6, 5, 0},
		">>de<<":     {2, 0},
		">>fr<<a":    {1, 3, 0}, // no token of the vocabulary
	} {
		if got := m.Encode(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if text, err := m.Decode([]int32{8, 6, 5, 1, 4, 7, 6, 0}); err != nil || text != "abcbc zz" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := m.Decode([]int32{9}); !errors.Is(err, ErrID) || m.Size() != 9 {
		t.Errorf("%d ids, %v", m.Size(), err)
	}
}

// TestMarianCases compares with the tokenizer of transformers (testdata/make.py marian).
func TestMarianCases(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", "marian", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var models []*Model
	for _, name := range []string{"source.spm", "target.spm"} {
		model, err := Parse(read(name))
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, model)
	}
	m, err := NewMarian(models[0], models[1], read("vocab.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Text, Decoded *string
		IDs, Decode   []int32
	}
	if err := json.Unmarshal(read("cases.json"), &rows); err != nil || len(rows) < 100 {
		t.Fatal(len(rows), err)
	}
	for _, r := range rows {
		if r.Text != nil {
			if got := m.Encode(nil, *r.Text); !slices.Equal(got, r.IDs) {
				t.Errorf("%q: %v, want %v", *r.Text, got, r.IDs)
			}
		} else if got, err := m.Decode(r.Decode); err != nil || r.Decoded == nil || got != *r.Decoded {
			t.Errorf("%v: %q, %v, want %q", r.Decode, got, err, *r.Decoded)
		}
	}
}

func TestVocabulariesThatAreNotMarians(t *testing.T) {
	for vocab, want := range map[string]string{
		`[]`: "vocab.json: json", `{"</s>": 0}`: "no <unk>", `{"<unk>": 0}`: "no </s>",
		`{"</s>": 0, "<unk>": 2}`:                     "want each of 0 to 1 once",
		`{"</s>": 0, "<unk>": 0}`:                     "want each of 0 to 1 once",
		`{"</s>": 0, "<unk>": -1}`:                    "want each of 0 to 1 once",
		`{"</s>": 0, "<unk>": 1, "x": 2}`:             "has 2 of the 8 pieces",
		smallVocabulary[:20]:                          "vocab.json: unexpected end",
		strings.Replace(smallVocabulary, "7", "9", 1): "want each of 0 to 8 once",
	} {
		if _, err := smallMarian(t, vocab); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", vocab, err, want)
		}
	}
}
