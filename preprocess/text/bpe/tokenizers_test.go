package bpe

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// cases are what Hugging Face's libraries gave for a tokenizer; testdata/make.py writes them.
type cases struct {
	Options struct {
		CleanUp bool `json:"clean_up"`
		Added   []string
		Folder  bool // what is added stands in the folder's files
	}
	Rows []struct {
		Text        *string
		IDs         []int32
		WithSpecial []int32 `json:"with_special"`
		Decode      []int32
		Decoded     string
		DecodedAll  string `json:"decoded_all"`
	}
}

// TestTokenizers walks the tokenizers that have a tokenizer.json or a vocab.json.
func TestTokenizers(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "tokenizers", "*", "cases.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var c cases
			golden.ReadJSON(t, path, &c)
			c.check(t, c.open(t, dir))
		})
	}
}

func (c cases) open(t *testing.T, dir string) *Tokenizer {
	t.Helper()
	if data, err := os.ReadFile(filepath.Join(dir, "tokenizer.json")); err == nil {
		tokenizer, err := ParseJSON(data, ConfigOptions{CleanUp: c.Options.CleanUp})
		if err != nil {
			t.Fatal(err)
		}
		return tokenizer
	}
	if c.Options.Folder {
		tokenizer, err := ReadVocab(func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) },
			VocabOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return tokenizer
	}
	vocab, err := os.ReadFile(filepath.Join(dir, "vocab.json"))
	if err != nil {
		t.Fatal(err)
	}
	merges, err := os.ReadFile(filepath.Join(dir, "merges.txt"))
	if err != nil {
		t.Fatal(err)
	}
	o := VocabOptions{ConfigOptions: ConfigOptions{CleanUp: c.Options.CleanUp}}
	o.Added = append(o.Added, AddedToken{ID: noID, Content: endOfText, Special: true})
	base, err := ParseVocab(vocab, merges, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, content := range c.Options.Added {
		o.Added = append(o.Added, AddedToken{ID: int32(base.Size() + i), Content: content})
	}
	tokenizer, err := ParseVocab(vocab, merges, o)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func (c cases) check(t *testing.T, tokenizer *Tokenizer) {
	for _, r := range c.Rows {
		ids := r.Decode
		if r.Text != nil {
			ids = r.IDs
			if got := tokenizer.EncodePlain(nil, *r.Text); !slices.Equal(got, r.IDs) {
				t.Errorf("%+q: ids\n%v, want\n%v", *r.Text, got, r.IDs)
			}
			if got := tokenizer.Encode(nil, *r.Text); !slices.Equal(got, r.WithSpecial) {
				t.Errorf("%+q: with special tokens %v, want %v", *r.Text, got, r.WithSpecial)
			}
		}
		got, err := tokenizer.Decode(ids)
		if err != nil || got != r.Decoded {
			t.Errorf("%v: %+q, %v; want %+q", ids, got, err, r.Decoded)
		}
		if got, err = tokenizer.DecodeAll(ids); err != nil || got != r.DecodedAll {
			t.Errorf("%v: all %+q, %v; want %+q", ids, got, err, r.DecodedAll)
		}
	}
}
