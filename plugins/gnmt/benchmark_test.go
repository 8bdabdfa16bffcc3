package gnmt

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New(), "vocabulary=embedded") }

// official is a folder with a data set in the official names, each file as files says or by default.
func official(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"newstest2014.tok.bpe.32000.en": "a@@ b\n\nc <s> zzz\n",
		"newstest2014.tok.bpe.32000.de": "x@@ y\n\ny y\n",
		"vocab.bpe.32000.en":            "<unk>\n<s>\n</s>\na@@\nb\nc\n",
		"vocab.bpe.32000.de":            "<unk>\n<s>\n</s>\nx@@\ny\n",
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if text == "missing" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// model is a file that is not read before a backend opens it.
func model(t *testing.T) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"encoder": path, "decoder": path}
}

func openOfficial(t *testing.T, files, params map[string]string) (*translationWorkload, error) {
	t.Helper()
	w, err := New().Open(t.Context(), sdk.Options{Dataset: official(t, files), PartFiles: model(t), Params: params})
	if err != nil {
		return nil, err
	}
	own, _ := sdk.As[*translationWorkload](w)
	return own, nil
}

func TestPrompts(t *testing.T) {
	w, err := openOfficial(t, map[string]string{"vocab.bpe.32000.en": "a@@\r\nb\r\nc\r\n"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int32{{3, 4}, nil, {5, 1, 0}} {
		s, err := w.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		p, err := w.Prompt(s)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Tokens, want) || p.MaxNewTokens != 2*len(want) || p.Beams != 10 || p.LengthPenalty != 1 ||
			!slices.Equal(p.EOS, []int32{2}) {
			t.Errorf("sentence %d: %+v, want the tokens %v", i, p, want)
		}
	}
}

// TestLongLines has no limit of a sentence's length.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("a@@ b zzz ", 100_000)
	w, err := openOfficial(t, map[string]string{"newstest2014.tok.bpe.32000.en": long + "\n"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Load(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Prompt(s)
	if err != nil || len(p.Tokens) != 300_000 || p.MaxNewTokens != 600_000 {
		t.Errorf("%d tokens, at most %d new ones, %v", len(p.Tokens), p.MaxNewTokens, err)
	}
}

// TestWhatIsWrongIsSaid names every fault of the files at once.
func TestWhatIsWrongIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		files, params map[string]string
		want          []string
	}{
		"no sources": {
			files: map[string]string{"newstest2014.tok.bpe.32000.en": "missing", "vocab.bpe.32000.de": "missing"},
			want:  []string{"newstest2014.tok.bpe.32000.en", "parameters sources and references", "no vocabulary: looked for"},
		},
		"bad text": {
			files: map[string]string{"newstest2014.tok.bpe.32000.en": "a\n\xff\n"}, want: []string{"line 2: it is not UTF-8"},
		},
		"empty": {
			files: map[string]string{"newstest2014.tok.bpe.32000.en": ""}, want: []string{"is empty, want a sentence a line"},
		},
		"bad vocabularies": {
			files: map[string]string{"vocab.bpe.32000.en": "<unk>\n<s>\n</s>\na\n\na\n", "vocab.bpe.32000.de": "<unk>\n\xff"},
			want:  []string{"line 5: it is empty", `line 6: "a" is there before`, "line 2: it is not UTF-8"},
		},
		"bad parameters": {
			params: map[string]string{"beams": "0", "max_steps": "word", "sacrebleu": "14"},
			want:   []string{"beams", "max_steps", `tokenizer "14", want one of 13a`},
		},
	} {
		_, err := openOfficial(t, c.files, c.params)
		if err == nil || !errors.Is(err, sdk.ErrData) && !errors.Is(err, sdk.ErrUsage) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v: it does not say %q", name, err, want)
			}
		}
	}
}
