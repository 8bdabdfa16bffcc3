package llm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

func TestTokenizerFiles(t *testing.T) {
	embedded, err := openTokenizer(language.EmbeddedTokenizer)
	if err != nil {
		t.Fatal(err)
	}
	const text = "<|article|> A tiger escaped from the zoo in Västerby — ½ 世界.<|summary|>"
	want := embedded.Encode(nil, text)
	for _, path := range []string{"model", filepath.Join("model", "tokenizer.json")} {
		got, err := openTokenizer(path)
		if err != nil {
			t.Fatal(err)
		}
		if ids := got.Encode(nil, text); !slices.Equal(ids, want) {
			t.Errorf("%s: ids %v, want %v", path, ids, want)
		}
	}
	if back, err := embedded.Decode(want); err != nil || back != " A tiger escaped from the zoo in Västerby — ½ 世界." {
		t.Errorf("decoded %q, %v", back, err)
	}
}

func TestBadTokenizers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty := t.TempDir()
	for _, c := range []struct{ path, want string }{
		{write("a.json", `{"model": {"type": "Unigram"}}`), "Unigram"},
		{write("b.json", "no JSON"), "b.json"},
		{write("c.model", "no model"), "sentencepiece"},
		{empty, "no tokenizer.json, no tokenizer.model, and not vocab.json"},
		{filepath.Join(dir, "none"), "none"},
	} {
		_, err := openTokenizer(c.path)
		if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one of data with %q", c.path, err, c.want)
		}
	}
	write("tokenizer_config.json", "{")
	if _, err := openTokenizer(write("d.json", "{}")); !errors.Is(err, sdk.ErrData) ||
		!strings.Contains(err.Error(), "tokenizer_config.json") {
		t.Errorf("error %v of a broken tokenizer_config.json", err)
	}
	if _, err := openSplitter(empty); !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), "ortho_context.tab") {
		t.Errorf("error %v of a folder without punkt's parameters", err)
	}
}

// FuzzSettings gives any values: settings within their bounds, or faults.
func FuzzSettings(f *testing.F) {
	f.Add("1", "128", "1", "0", "news", "int32", "1.5", "true", "512")
	f.Add("0", "-1", "x", "1,,2", "poem", "int5", "NaN", "yes", "")
	f.Fuzz(func(t *testing.T, least, most, beams, eos, prompt, dtype, penalty, early, cache string) {
		p := option.NewParams(map[string]string{
			"min_new_tokens": least, "max_new_tokens": most, "beams": beams, "eos": eos, "prompt": prompt, "dtype": dtype,
			"length_penalty": penalty, "early_stopping": early, "kv_cache_mb": cache, "max_prompt_tokens": least,
		})
		s := parseSettings(p)
		if p.Err() != nil {
			return
		}
		l := s.Limits
		if l.MinNewTokens < 0 || l.MaxNewTokens < max(1, l.MinNewTokens) || l.Beams < 1 || len(l.EOS) == 0 ||
			s.CacheBytes <= 0 ||
			!strings.Contains(s.Template, "{input}") || l.LengthPenalty != l.LengthPenalty {
			t.Errorf("settings %+v", s)
		}
	})
}
