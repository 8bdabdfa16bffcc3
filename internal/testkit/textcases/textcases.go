// Package textcases reads the common parts of the text scorers' golden cases: a tokenizer and the parameters of a
// sentence splitter.
package textcases

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
	"github.com/plumbline-ml/plumbline/preprocess/text/sentencepiece"
)

// Decoder decodes token ids to text.
type Decoder interface {
	Decode(ids []int32) (string, error)
}

// OpenTokenizer opens the tokenizer of a case: tokenizer.model, or vocab.json and merges.txt.
func OpenTokenizer(t testing.TB, dir string) Decoder {
	t.Helper()
	dir = filepath.Join(dir, "tokenizer")
	var config struct {
		CleanUp bool `json:"clean_up_tokenization_spaces"`
		Legacy  bool
	}
	golden.ReadJSON(t, filepath.Join(dir, "tokenizer_config.json"), &config)
	model, err := os.ReadFile(filepath.Join(dir, "tokenizer.model"))
	if errors.Is(err, fs.ErrNotExist) {
		o := bpe.VocabOptions{ConfigOptions: bpe.ConfigOptions{CleanUp: config.CleanUp}}
		tokenizer, err := bpe.ParseVocab(read(t, dir, "vocab.json"), read(t, dir, "merges.txt"), o)
		if err != nil {
			t.Fatal(err)
		}
		return tokenizer
	}
	if err != nil {
		t.Fatal(err)
	}
	return openLlama(t, model, sentencepiece.LlamaOptions{Legacy: config.Legacy, CleanUp: config.CleanUp})
}

func openLlama(t testing.TB, data []byte, o sentencepiece.LlamaOptions) Decoder {
	t.Helper()
	model, err := sentencepiece.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	llama, err := sentencepiece.NewLlama(model, o)
	if err != nil {
		t.Fatal(err)
	}
	return llama
}

func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// OpenSplitter opens the sentence splitter of a case.
func OpenSplitter(t testing.TB, dir string) *punkt.Splitter {
	t.Helper()
	dir = filepath.Join(dir, "punkt_tab_english")
	p, err := punkt.Parse(punkt.ParameterFiles{
		Abbreviations: read(t, dir, "abbrev_types.txt"),
		Collocations:  read(t, dir, "collocations.tab"),
		Starters:      read(t, dir, "sent_starters.txt"),
		Orthography:   read(t, dir, "ortho_context.tab"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return punkt.NewSplitter(p)
}

// CheckLine compares the values in Python's output of a dict. Numbers may have the forms 1.5, '1.5' and
// np.float64(1.5).
func CheckLine(t testing.TB, got, want string) {
	t.Helper()
	values := func(line string) map[string]float64 {
		m := map[string]float64{}
		for field := range strings.SplitSeq(strings.Trim(line, "{}"), ", ") {
			name, value, _ := strings.Cut(field, ": ")
			if _, inner, ok := strings.Cut(value, "("); ok {
				value = strings.TrimSuffix(inner, ")")
			}
			v, err := strconv.ParseFloat(strings.Trim(value, "'"), 64)
			if err != nil {
				t.Fatal(err)
			}
			m[name] = v
		}
		return m
	}
	all := values(got)
	for name, v := range values(want) {
		if g, ok := all[name]; !ok || g != v {
			t.Errorf("%s: %v, want %v", name, g, v)
		}
	}
}
