package sentencepiece

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// message builds the protobuf messages of a model.
type message []byte

func (m message) number(field int, v uint64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), v)
}

func (m message) bytes(field int, b []byte) message {
	m = binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(b)))
	return append(m, b...)
}

func (m message) piece(text string, score float32, k vocabKind) message {
	p := message(nil).bytes(pieceText, []byte(text))
	p = binary.AppendUvarint(p, pieceScore<<3|5)
	p = binary.LittleEndian.AppendUint32(p, math.Float32bits(score))
	return m.bytes(modelPieces, p.number(pieceKind, uint64(k)))
}

// small is a model of pieces with the ids 0 to 7.
func small() message {
	m := message(nil).bytes(modelTrainer, message(nil).number(trainerType, 2))
	m = m.bytes(modelNormalizer, message(nil).number(normalizerRemoveSpaces, 0))
	m = m.piece("<unk>", 0, unknownKind).piece("<s>", 0, controlKind).piece("</s>", 0, controlKind)
	return m.piece("▁a", -1, normalKind).piece("bc", -2, normalKind).piece("▁abc", -3, normalKind).piece("▁", -4,
		normalKind).piece("a", -5, normalKind)
}

func TestParse(t *testing.T) {
	m, err := Parse(small())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Encode(nil, "abc axyb<s>"), []int32{5, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := m.Encode(nil, ""); len(got) != 0 {
		t.Errorf("an empty text gives %v", got)
	}
	if text, err := m.Decode([]int32{1, 5, 0, 3, 2}); err != nil || text != "abc \u2047  a" {
		t.Errorf("got %q, %v", text, err)
	}
	if m.Size() != 8 || m.Piece(4) != "bc" || m.Piece(-1) != "" || m.Piece(8) != "" || m.ID("bc") != 4 ||
		m.ID("<s>") != 1 || m.ID("zz") != 0 {
		t.Errorf("%d pieces: %v", m.Size(), m.file.pieces)
	}
}

// withRules is the small model with normalization rules.
func withRules(rules string) message {
	return small().bytes(modelNormalizer, message(nil).bytes(normalizerCharsMap, []byte(rules)))
}

func TestParseFaults(t *testing.T) {
	words := message(nil).bytes(modelTrainer, message(nil).number(trainerType, 3)).piece("<unk>", 0, unknownKind)
	cases := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "0 pieces, none of the kind unknown"},
		{"cut", small()[:40], "is the file complete?"},
		{"text", []byte("not a model"), "is this a tokenizer.model?"},
		{"words", words, "type 3 word, want 1, unigram, or 2, BPE"},
		{"cut rules", withRules("x"), "normalization rules that are cut"},
		{"rules without a trie", withRules("\x00\x00\x00\x00"), "a trie of 0 bytes"},
		{"a trie beyond the rules", withRules("\xff\xff\x00\x00abcd"), "a trie of 65535 bytes in 4"},
		{"replacements without an end", withRules("\x04\x00\x00\x00\x00\x00\x00\x00ab"), "replacements are cut"},
		{"long replacements", withRules("\x04\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("a", 2000) + "\x00"),
			"a replacement of 2000 bytes"},
		{"rules back", small().bytes(modelDenormalizer, message(nil).bytes(normalizerCharsMap, []byte("x"))),
			"rules for what is decoded"},
		{"unused pieces", small().piece("x", 0, unusedKind), "kind unused"},
		{"blanks at the end", small().bytes(modelTrainer, message(nil).number(trainerSuffixSpace, 1)),
			"treat_whitespace_as_suffix"},
		{"no escapes", small().bytes(modelNormalizer, message(nil).number(normalizerEscapeSpaces, 0)), "escape_whitespaces"},
		{"no bytes", small().bytes(modelTrainer, message(nil).number(trainerByteFallback, 1)),
			"byte fallback without a piece for each byte"},
		{"twice", small().piece("bc", 0, normalKind), `piece 8, "bc", is there twice`},
		{"twice in other kinds", small().piece("<s>", 0, normalKind), "is there twice"},
		{"two unknown", small().piece("<u>", 0, unknownKind), "a second one of the kind unknown"},
		{"empty piece", small().piece("", 0, normalKind), "is empty or not UTF-8"},
		{"not UTF-8", small().piece("\xff", 0, normalKind), "is empty or not UTF-8"},
		{"no score", small().piece("x", float32(math.NaN()), normalKind), "a score that is no number"},
		{"odd byte", small().piece("<0xG0>", 0, byteKind), "want <0x00> to <0xFF>"},
		{"odd kind", small().piece("x", 0, 9), "is of kind 9"},
		{"many", slices.Concat(small(), slices.Repeat(message(nil).piece("bc", 0, normalKind), 7)),
			"so it is with 2 more pieces"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.data)
			if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestDecodeRefusesIDs(t *testing.T) {
	m, err := Parse(small())
	if err != nil {
		t.Fatal(err)
	}
	llama, err := NewLlama(m, LlamaOptions{Added: []AddedToken{{ID: 10, Content: "<x>"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, decode := range map[string]func([]int32) (string, error){"model": m.Decode, "llama": llama.Decode} {
		_, err := decode([]int32{1, -1, 8, 9})
		if !errors.Is(err, ErrID) || !strings.Contains(err.Error(), "3 of 4 ids: -1 at place 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := llama.Decode([]int32{3, 10, 7}); err != nil || text != "a <x> a" {
		t.Errorf("got %q, %v", text, err)
	}
	if llama.Size() != 11 || llama.Token(10) != "<x>" || llama.Token(9) != "" || llama.Token(4) != "bc" {
		t.Errorf("%d ids", llama.Size())
	}
}

func TestLlamaOptions(t *testing.T) {
	m, err := Parse(small())
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name    string
		options LlamaOptions
		want    string
	}{
		{"standard", LlamaOptions{}, "[1 5 2 7]"},
		{"legacy", LlamaOptions{Legacy: true}, "[1 5 2 3]"},
		{"no prefix", LlamaOptions{NoPrefixSpace: true}, "[1 7 4 2 7]"},
		{"end alone", LlamaOptions{NoBegin: true, AddEnd: true}, "[5 2 7 2]"},
		{"other tokens", LlamaOptions{Begin: "bc", End: "▁a", Unknown: "a"}, "[4 3 4 0 7]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			llama, err := NewLlama(m, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(llama.Encode(nil, "abc</s>a")); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	_, err = NewLlama(m, LlamaOptions{Begin: "<bos>", Added: []AddedToken{{ID: -1, Content: "<x>"}}})
	if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), `"<bos>"`) ||
		!strings.Contains(err.Error(), `"<x>" with the id -1`) {
		t.Errorf("got %v", err)
	}
}

// FuzzLlama checks that nothing is lost where bytes stand for what the pieces lack.
func FuzzLlama(f *testing.F) {
	llama, err := NewLlama(openModel(f, filepath.Join("testdata", "models", "llama2-slow")), LlamaOptions{})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"The near  <s>x", "東京🙂\xff", "<0x41>", " <unk>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := llama.Encode(nil, text)
		got, err := llama.DecodeAll(ids[1:])
		if err != nil {
			t.Fatal(err)
		}
		special := strings.Contains(text, "<s>") || strings.Contains(text, "</s>") || strings.Contains(text, "<unk>")
		if utf8.ValidString(text) && !special && !strings.Contains(text, blank) && got != text {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small()), "abc <s>")
	for _, name := range []string{"spm-user", "spm-spaces", "unigram-rules", "unigram-keep"} {
		data, err := os.ReadFile(filepath.Join("testdata", "models", name, "tokenizer.model"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "the <extra> [INST] ▁▁ \xff")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		m, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Fatal(err)
			}
			return
		}
		if _, err := m.Decode(m.Encode(nil, text)); err != nil {
			t.Fatal(err)
		}
		if llama, err := NewLlama(m, LlamaOptions{Unknown: m.Piece(0)}); err == nil {
			if _, err := llama.DecodeAll(llama.Encode(nil, text)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	llama, err := NewLlama(openModel(b, filepath.Join("testdata", "models", "llama2-slow")), LlamaOptions{})
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("The mother of Kowalski measured by Kingsport Brandt near the early result? It's 1728. ", 40)
	var ids []int32
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		ids = llama.Encode(ids[:0], text)
	}
}

// TestHostileRules looks up rules whose trie leads beyond its end and whose values lie beyond the replacements.
func TestHostileRules(t *testing.T) {
	trie := func(units ...uint32) string {
		text := string(binary.LittleEndian.AppendUint32(nil, uint32(4*len(units))))
		for _, u := range units {
			text += string(binary.LittleEndian.AppendUint32(nil, u))
		}
		return text + "ab\x00"
	}
	for _, rules := range []string{trie(0xffffffff), trie('a' << 10), trie(0, 1<<10), trie('a'<<10|'b', unitLeaf|'a'),
		trie(96<<10, unitLeaf|'a'|1<<10, 1<<30)} {
		m, err := Parse(withRules(rules))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Decode(m.Encode(nil, "aab bc\xff")); err != nil {
			t.Error(err)
		}
	}
}

// FuzzMarian checks that a vocabulary of any kind is read or refused.
func FuzzMarian(f *testing.F) {
	m, err := Parse(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"</s>": 0, "<unk>": 1, "▁a": 2, "bc": 3, "<pad>": 4}`), "abc a")
	f.Add([]byte(`{"</s>": 0, "<unk>": 1, "▁a": 2, "bc": 3, "<s>": 4, ">>x<<": 5}`), ">>x<<abc >>")
	f.Add([]byte(`{"</s>": 0, "<unk>": 0}`), "")
	f.Fuzz(func(t *testing.T, vocab []byte, text string) {
		marian, err := NewMarian(m, m, vocab)
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Fatal(err)
			}
			return
		}
		if _, err := marian.Decode(marian.Encode(nil, text)); err != nil {
			t.Fatal(err)
		}
	})
}
