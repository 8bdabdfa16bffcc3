package wordpiece

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func open(t testing.TB) *Tokenizer {
	t.Helper()
	vocab, err := os.ReadFile("testdata/vocab.txt")
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := New(vocab)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

// TestTexts compares random texts with what transformers 4.46.3 gave for them.
func TestTexts(t *testing.T) {
	tokenizer := open(t)
	var texts []struct {
		Text  string
		IDs   []int32
		Words []string
	}
	golden.ReadJSON(t, "testdata/texts.json", &texts)
	if len(texts) < 100 {
		t.Fatalf("only %d texts", len(texts))
	}
	for _, c := range texts {
		if got := tokenizer.Encode(nil, c.Text); !slices.Equal(got, c.IDs) {
			t.Errorf("%+q: ids %v, want %v", c.Text, got, c.IDs)
		}
		if got := Words(c.Text); !slices.Equal(got, c.Words) {
			t.Errorf("%+q: words %q, want %q", c.Text, got, c.Words)
		}
	}
}

const small = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n##a\na\nσ\n##ς\n##σ\né\ne\n[\n]\nsep\n"

func TestEncode(t *testing.T) {
	tokenizer, err := New([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, text, want string }{
		{"pieces", "unaffable", "un ##aff ##able"},
		{"longest first", "unaffablea", "un ##aff ##able ##a"},
		{"no piece fits", "unaffables un", "[UNK] un"},
		{"capitals and accents", "UNAFFABLE É", "un ##aff ##able e"},
		{"special tokens", "un[SEP]un [sep]", "un [SEP] un [ sep ]"},
		{"unfinished special token", "[SEP un", "[ sep un"},
		{"a special token that the vocabulary lacks", "[MASK]", "[ [UNK] ]"},
		{"sigma never final", "ΣΣ", "σ ##σ"},
		{"99 + 1", strings.Repeat("a", 100), "a" + strings.Repeat(" ##a", 99)},
		{"too long", strings.Repeat("a", 101) + " a", "[UNK] a"},
		{"long in bytes only", strings.Repeat("é", 100), "[UNK]"},
		{"control characters", "u\x00n\u200baffa\x1cble\x7f", "un ##aff ##able"},
		{"nothing", " \u0301\t", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var tokens []string
			for _, id := range tokenizer.Encode(nil, c.text) {
				tokens = append(tokens, tokenizer.Token(id))
			}
			if got := strings.Join(tokens, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWords(t *testing.T) {
	const text = "L'État—$5.60, ΣΟΦΟΣ 東京タワー ﬁn\u00a0x"
	want := []string{"l", "'", "etat", "—", "$", "5", ".", "60", ",", "σοφος", "東", "京", "タワー", "ﬁn", "x"}
	if got := Words(text); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVocabulary(t *testing.T) {
	tokenizer, err := New([]byte(strings.ReplaceAll(small, "sep\n", "\nun\n") + "last"))
	if err != nil {
		t.Fatal(err)
	}
	if got := tokenizer.Encode(nil, "un"); !slices.Equal(got, []int32{17}) {
		t.Errorf("of equal tokens the last counts: got %v", got)
	}
	if tokenizer.Size() != 19 || tokenizer.Token(16) != "" || tokenizer.Token(18) != "last" || tokenizer.Token(19) != "" ||
		tokenizer.Token(-1) != "" {
		t.Errorf("%d tokens, %q", tokenizer.Size(), tokenizer.tokens)
	}
	if id, ok := tokenizer.ID(Separator); id != 3 || !ok {
		t.Errorf("separator: %d, %v", id, ok)
	}
	windows, err := New([]byte(strings.ReplaceAll(small, "\n", "\r\n")))
	if err != nil || windows.Size() != 17 || windows.Token(4) != "un" {
		t.Errorf("line ends of Windows: %v", err)
	}
}

func TestVocabularyFaults(t *testing.T) {
	cases := []struct{ name, vocab, want string }{
		{"empty", "", "0 lines: no line [UNK]; no line [SEP]; no line [CLS]; no line [PAD]"},
		{"no special", "[PAD]\n[CLS]\n[SEP]\na\n", "4 lines: no line [UNK]"},
		{"not text", small + strings.Repeat("\xff\n", 7), "line 18: \"\\xff\" is not UTF-8"},
		{"all of them", "\xff\xfe\n" + strings.Repeat("\xff\n", 7), "3 more lines are not UTF-8; no line [UNK]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := New([]byte(c.vocab))
			if !errors.Is(err, ErrVocab) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// FuzzEncode checks that ASCII takes the same way as other text, and that all ids are in the vocabulary.
func FuzzEncode(f *testing.F) {
	for _, seed := range []string{"The [SEP] of Kowalski", "é\u0301[UNK", "\xff\xc3", "İΣ\u212b東"} {
		f.Add(seed)
	}
	tokenizer := open(f)
	f.Fuzz(func(t *testing.T, text string) {
		ids := tokenizer.Encode(nil, text)
		for _, id := range ids {
			if tokenizer.Token(id) == "" {
				t.Fatalf("%q: id %d", text, id)
			}
		}
		if other := tokenizer.Encode(nil, text+" 東"); len(other) != len(ids)+1 || !slices.Equal(other[:len(ids)], ids) {
			t.Fatalf("%q: %v, with another word %v", text, ids, other)
		}
		for _, word := range Words(text) {
			if word == "" || !utf8.ValidString(word) {
				t.Fatalf("%q: word %q", text, word)
			}
		}
	})
}

func FuzzNew(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("\xff\r\n\r"))
	f.Fuzz(func(t *testing.T, vocab []byte) {
		tokenizer, err := New(vocab)
		if err != nil {
			if !errors.Is(err, ErrVocab) {
				t.Fatal(err)
			}
			return
		}
		for _, id := range tokenizer.Encode(nil, string(vocab)) {
			if tokenizer.Token(id) == "" {
				t.Fatalf("id %d", id)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tokenizer := open(b)
	text := strings.Repeat("The mother of Kowalski measured by Kingsport Brandt near co-operate the early result? ", 20)
	var ids []int32
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		ids = tokenizer.Encode(ids[:0], text)
	}
}
