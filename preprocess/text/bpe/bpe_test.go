package bpe

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseJSONFaults(t *testing.T) {
	const model = `"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}`
	cases := []struct{ name, file, want string }{
		{"no JSON", `{`, "unexpected end"},
		{"no model", `{}`, "no model"},
		{"another model", `{"model": {"type": "Unigram", "vocab": [["a", -1.5]]}}`, `model "Unigram", want BPE`},
		{"no vocabulary", `{"model": {"type": "BPE"}}`, "an empty vocabulary"},
		{"merges of three", `{"model": {"vocab": {"a": 0}, "merges": ["a b c"]}}`, "merge 1: \"a b c\""},
		{"merges of numbers", `{"model": {"vocab": {"a": 0}, "merges": [1]}}`, "merges: want a list"},
		{"unknown tokens in merges", `{"model": {"vocab": {"a": 0, "b": 1}, "merges": [["a", "b"], ["a", "c"]]}}`,
			`merge 1, "a" and "b", has tokens that are not`},
		{"one id twice", `{"model": {"vocab": {"a": 0, "b": 0}}}`, `tokens "a" and "b" have one id, 0`},
		{"negative id", `{"model": {"vocab": {"a": -1}}}`, `token "a" has the id -1`},
		{"huge id", `{"model": {"vocab": {"a": 2000000000}}}`, "want 0 to 2097151"},
		{"fractional id", `{"model": {"vocab": {"a": 0.5}}}`, "0.5"},
		{"no unknown token", `{"model": {"vocab": {"a": 0}, "unk_token": "<unk>"}}`, `"<unk>" is not in the vocabulary`},
		{"dropout", `{"model": {"vocab": {"a": 0}, "dropout": 0.1}}`, "dropout 0.1"},
		{"word ends", `{"model": {"vocab": {"a": 0}, "end_of_word_suffix": "</w>"}}`, "end_of_word_suffix"},
		{"normalizer", `{` + model + `, "normalizer": {"type": "Precompiled"}}`, `normalizer "Precompiled"`},
		{"normalizer that is no object", `{` + model + `, "normalizer": 3}`, "normalizer: json"},
		{"replace nothing", `{` + model + `, "normalizer": {"type": "Replace", "pattern": {"String": ""}}}`,
			"pattern of kind Regex or String"},
		{"pre-tokenizer", `{` + model + `, "pre_tokenizer": {"type": "Whitespace"}}`, `pre-tokenizer "Whitespace"`},
		{
			"pattern", `{` + model +
				`, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "x(?P<a>b)"}, "behavior": "Isolated"}}`,
			`the group (?P<a>`,
		},
		{"pattern of nothing", `{` + model +
			`, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "x*"}, "behavior": "Isolated"}}`, `may match nothing`},
		{"behavior", `{` + model + `, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "x"}, "behavior": "Mixed"}}`,
			`behavior "Mixed"`},
		{"split by nothing", `{` + model + `, "pre_tokenizer": {"type": "Split", "behavior": "Isolated"}}`,
			"pattern of kind Regex or String"},
		{"bytes before characters", `{` + model +
			`, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}, {"type": "Metaspace"}]}}`,
			"after ByteLevel"},
		{"metaspace", `{` + model + `, "pre_tokenizer": {"type": "Metaspace", "replacement": "_", "prepend_scheme": "odd"}}`,
			`replacement "_"`},
		{"decoder", `{` + model + `, "decoder": {"type": "Sequence", "decoders": [{"type": "CTC"}]}}`, `decoder "CTC"`},
		{"strip of nothing", `{` + model + `, "decoder": {"type": "Strip"}}`, "Strip decoder without content"},
		{"post-processor", `{` + model + `, "post_processor": {"type": "RobertaProcessing"}}`,
			`post-processor "RobertaProcessing"`},
		{"template", `{` + model +
			`, "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}, {}]}}`, "0 sequences"},
		{"added token", `{` + model + `, "added_tokens": [{"id": 1, "content": "x"}]}`, `tokens "b" and "x" have one id, 1`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseJSON([]byte(c.file), ConfigOptions{})
			if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	all := `{` + model + `, "normalizer": {"type": "A"}, "pre_tokenizer": {"type": "B"}, "decoder": {"type": "C"}, ` +
		`"post_processor": {"type": "D"}}`
	if _, err := ParseJSON([]byte(all), ConfigOptions{}); err == nil || strings.Count(err.Error(), "; ") != 3 {
		t.Errorf("not all faults: %v", err)
	}
	if _, err := ParseJSON([]byte(`{`+model+`}`), ConfigOptions{}); err != nil {
		t.Error(err)
	}
}

const smallVocab = `{"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3, "\u0120": 4, "\u0120ab": 7}`

func TestParseVocab(t *testing.T) {
	tokenizer, err := ParseVocab([]byte(smallVocab), []byte("#version: 0.2\na b\n\u0120 ab\r\n\n"), VocabOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tokenizer.Encode(nil, "ab ab<|endoftext|>c\xffb"),
		[]int32{2, 7, 3, 3, 3, 3, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if text, err := tokenizer.Decode([]int32{7, 3, 2}); err != nil || text != " abab" {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := tokenizer.DecodeAll([]int32{7, 3, 2}); err != nil || text != " ab<|endoftext|>ab" {
		t.Errorf("got %q, %v", text, err)
	}
	if tokenizer.Size() != 8 || tokenizer.Token(7) != "\u0120ab" || tokenizer.Token(5) != "" ||
		tokenizer.Token(-1) != "" || tokenizer.Token(8) != "" {
		t.Errorf("%d ids", tokenizer.Size())
	}
	begin := VocabOptions{Begin: "<|endoftext|>", PrefixSpace: true}
	if tokenizer, err = ParseVocab([]byte(smallVocab), nil, begin); err != nil {
		t.Fatal(err)
	}
	if got, want := tokenizer.Encode(nil, "a"), []int32{3, 4, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseVocabFaults(t *testing.T) {
	cases := []struct {
		name, vocab, merges string
		options             VocabOptions
		want                string
	}{
		{"no JSON", "x", "", VocabOptions{}, "vocab.json: invalid"},
		{"no end of text", `{"a": 0}`, "", VocabOptions{}, `"<|endoftext|>" is not in the vocabulary`},
		{"lines of merges", smallVocab, "a b\na\na b c\n", VocabOptions{},
			`line 2 of merges.txt: "a", want two tokens with a blank between them; line 3`},
		{"many of them", smallVocab, strings.Repeat("a\n", 9), VocabOptions{}, "so it is with 4 more lines"},
		{"unknown merges", smallVocab, strings.Repeat("b a\n", 9), VocabOptions{}, "so have 4 more merges"},
		{"the first token", smallVocab, "", VocabOptions{Begin: "<s>"}, `the first token, "<s>", is not among those added`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseVocab([]byte(c.vocab), []byte(c.merges), c.options)
			if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestDecodeRefusesIDs(t *testing.T) {
	tokenizer := openVocab(t, filepath.Join("testdata", "golden", "preprocess", "gptj_prompts"))
	size := int32(tokenizer.Size())
	_, err := tokenizer.Decode([]int32{0, -1, size, 1, size + 1})
	if !errors.Is(err, ErrID) || !strings.Contains(err.Error(), "3 of 5 ids: -1 at place 1") {
		t.Errorf("got %v", err)
	}
}

func TestUnknownSymbols(t *testing.T) {
	const file = `{"model": {"type": "BPE", "unk_token": "?", "fuse_unk": FUSE, "byte_fallback": BYTES,
		"vocab": {"?": 0, "a": 1, "<0xC3>": 2, "<0xA9>": 3, "<0x62>": 4}, "merges": []}}`
	cases := []struct {
		fuse, bytes string
		want        []int32 // of "é\u4e00\u4e00ba\u4e00"
	}{
		{"false", "false", []int32{0, 0, 0, 0, 1, 0}},
		{"true", "false", []int32{0, 1, 0}},
		{"false", "true", []int32{2, 3, 0, 4, 0, 1, 0}}, // bytes overtake an unknown symbol that waits for its neighbour
		{"true", "true", []int32{2, 3, 4, 0, 1, 0}},
	}
	for _, c := range cases {
		tokenizer, err := ParseJSON([]byte(strings.NewReplacer("FUSE", c.fuse, "BYTES", c.bytes).Replace(file)),
			ConfigOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time from memory
			if got := tokenizer.Encode(nil, "é\u4e00\u4e00ba\u4e00"); !slices.Equal(got, c.want) {
				t.Errorf("fuse %s, bytes %s: got %v, want %v", c.fuse, c.bytes, got, c.want)
			}
		}
	}
}

// FuzzTokenizer checks that byte-level encodings lose nothing.
func FuzzTokenizer(f *testing.F) {
	tokenizer := openVocab(f, filepath.Join("testdata", "golden", "preprocess", "gptj_prompts"))
	for _, seed := range []string{"Below is  an\n\ninstruction", "é🙂\xff", "<|endoftext|>", " '"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := tokenizer.Encode(nil, text)
		got, err := tokenizer.DecodeAll(ids)
		if err != nil {
			t.Fatal(err)
		}
		if utf8.ValidString(text) && got != text {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "tokenizers", "*", "tokenizer.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "a <extra> text [INST] </s>")
	}
	f.Add([]byte(`{"model": {"vocab": {"a": 0}, "merges": [["a", "a"]]}}`), "aa")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		tokenizer, err := ParseJSON(data, ConfigOptions{CleanUp: true})
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Fatal(err)
			}
			return
		}
		if _, err := tokenizer.DecodeAll(tokenizer.Encode(nil, text)); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzParseVocab(f *testing.F) {
	f.Add([]byte(smallVocab), []byte("#version: 0.2\na b\n"), "ab ab")
	f.Fuzz(func(t *testing.T, vocab, merges []byte, text string) {
		tokenizer, err := ParseVocab(vocab, merges, VocabOptions{})
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Fatal(err)
			}
			return
		}
		if _, err := tokenizer.DecodeAll(tokenizer.Encode(nil, text)); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tokenizer := openVocab(b, filepath.Join("testdata", "golden", "preprocess", "gptj_prompts"))
	text := strings.Repeat("The mother of Kowalski measured by Kingsport Brandt near the early result? It's 1728. ", 40)
	var ids []int32
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		ids = tokenizer.Encode(ids[:0], text)
	}
}

func BenchmarkDecode(b *testing.B) {
	tokenizer := openVocab(b, filepath.Join("testdata", "golden", "preprocess", "gptj_prompts"))
	text := strings.Repeat("The mother of Kowalski measured by Kingsport Brandt near the early result? It's 1728. ", 40)
	ids := tokenizer.Encode(nil, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tokenizer.Decode(ids); err != nil {
			b.Fatal(err)
		}
	}
}
