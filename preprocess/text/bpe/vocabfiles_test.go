package bpe

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// folder reads files that a map has.
func folder(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
}

func TestReadVocab(t *testing.T) {
	const vocab = `{"a": 0, "b": 1, "ab": 2}`
	for name, c := range map[string]struct {
		files map[string]string
		ids   string // of "ab<|endoftext|>", as runes from "0"
		want  string // of the error
	}{
		"nowhere":  {nil, "", `"<|endoftext|>" is not in the vocabulary`},
		"added":    {map[string]string{"added_tokens.json": `{"<|endoftext|>": 5}`}, "25", ""},
		"no id":    {map[string]string{"added_tokens.json": `{"<|endoftext|>": -5}`}, "", "the id -5"},
		"one id":   {map[string]string{"added_tokens.json": `{"<|endoftext|>": 1}`}, "", "have one id, 1"},
		"no list":  {map[string]string{"added_tokens.json": `[]`}, "", "added_tokens.json: json"},
		"no token": {map[string]string{"special_tokens_map.json": `{"eos_token": 3}`}, "", "3, want a token"},
		"decoder": {map[string]string{
			"tokenizer_config.json": `{"added_tokens_decoder": {"7": {"content": "<|endoftext|>", "rstrip": true}}}`,
			"added_tokens.json":     `{"<|endoftext|>": 1}`,
		}, "27", ""},
		"no number": {map[string]string{"tokenizer_config.json": `{"added_tokens_decoder": {"x": "y"}}`}, "",
			`added_tokens_decoder has the id "x"`},
	} {
		files := map[string]string{"vocab.json": vocab, "merges.txt": "a b"}
		for name, text := range c.files {
			files[name] = text
		}
		m, err := ReadVocab(folder(files), VocabOptions{})
		if c.want != "" {
			if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		for _, id := range m.Encode(nil, "ab<|endoftext|>") {
			got += string('0' + id)
		}
		if text, err := m.Decode([]int32{2, 0}); got != c.ids || err != nil || text != "aba" {
			t.Errorf("%s: ids %s, want %s; %q, %v", name, got, c.ids, text, err)
		}
	}
	if _, err := ReadVocab(folder(nil), VocabOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzReadVocab(f *testing.F) {
	f.Add(`{"<|endoftext|>": 5}`,
		`{"eos_token": {"content": "a", "lstrip": true}, "additional_special_tokens": ["b"]}`, `{}`)
	f.Add(`{}`, `{}`, `{"added_tokens_decoder": {"7": {"content": "<|endoftext|>"}}, "pad_token": "x"}`)
	f.Fuzz(func(t *testing.T, added, names, config string) {
		m, err := ReadVocab(folder(map[string]string{
			"vocab.json": `{"a": 0, "b": 1, "ab": 2}`, "merges.txt": "a b", "added_tokens.json": added,
			"special_tokens_map.json": names, "tokenizer_config.json": config,
		}), VocabOptions{})
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Fatal(err)
			}
			return
		}
		if _, err := m.DecodeAll(m.Encode(nil, "ab"+added+"x")); err != nil {
			t.Fatal(err)
		}
	})
}
