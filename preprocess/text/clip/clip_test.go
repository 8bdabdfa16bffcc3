package clip

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// made is a tokenizer of all bytes, which have the ids 0 to 255 within a piece and 256 to 511 at its end, of "th",
// "the" and "the</w>" (512 to 514), "~~" and "~~</w>" (515, 516), start and end (517, 518).
func made(t testing.TB, o TokenizerOptions) *Tokenizer {
	t.Helper()
	vocab, merges := madeFiles()
	tokenizer, err := Parse(vocab, merges, o)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func madeFiles() (vocab, merges []byte) {
	ids := map[string]int32{
		"th": 512, "the": 513, "the</w>": 514, "~~": 515, "~~</w>": 516, startToken: 517, endToken: 518,
	}
	hidden := rune(0x100)
	for b := range int32(256) {
		r := b
		if !('!' <= b && b <= '~' || 0xa1 <= b && b <= 0xac || 0xae <= b) {
			r = hidden
			hidden++
		}
		ids[string(r)], ids[string(r)+wordEnd] = b, 256+b
	}
	vocab, _ = json.Marshal(ids) // a map of strings has a text
	return vocab, []byte("#version: 0.2\nt h\nth e\nth e</w>\n~ ~\n~ ~</w>\n")
}

// last is the id of a character that ends a piece.
func last(c byte) int32 { return 256 + int32(c) }

func TestEncode(t *testing.T) {
	const start, end = 517, 518
	e := last(0xa9)
	cases := []struct {
		name, text string
		want       []int32
	}{
		{"nothing", " \t", nil},
		{"merged", "the then", []int32{514, 513, last('n')}},
		{"lower case", "The THE", []int32{514, 514}},
		{"places from left to right", "~~~~~", []int32{515, 515, last('~')}},
		{"one number at a time", "12", []int32{last('1'), last('2')}},
		{"an ending", "a's 's's", []int32{last('a'), '\'', last('s'), '\'', last('s'), '\'', last('s')}},
		{"no ending within other signs", "!'s", []int32{'!', last('\''), last('s')}},
		{"composed", "e\u0301", []int32{0xc3, e}},
		{"specials", "a<|endoftext|>b", []int32{last('a'), end, last('b')}},
		{"specials in capitals", "<|EndOfText|>", []int32{end}},
		{"open_clip's name is no special", "<end", []int32{last('<'), 'e', 'n', last('d')}},
		{"an entity", "&amp;", []int32{last('&')}},
		{"an entity without an end", "&amp", []int32{last('&'), 'a', 'm', last('p')}},
		{"no entity beside a tag", "<&amp;", []int32{'<', last('&'), 'a', 'm', last('p'), last(';')}},
		{"bad UTF-8", "\xff", []int32{0xef, 0xbf, last(0xbd)}},
		{"a mark that is nothing", "\u0345", nil},
	}
	tokenizer := made(t, TokenizerOptions{})
	for _, c := range cases {
		want := append(append([]int32{start}, c.want...), end)
		if got := tokenizer.Encode(nil, c.text); !slices.Equal(got, want) {
			t.Errorf("%s, %q: %v, want %v", c.name, c.text, got, want)
		}
	}
}

// TestPadding is about the "!" that fills up: it stands for itself in the text of one tokenizer, for a word's end in
// the others.
func TestPadding(t *testing.T) {
	const start, end = 517, 518
	tests := []struct {
		options TokenizerOptions
		want    []int32
	}{
		{TokenizerOptions{Context: 6}, []int32{start, last('a'), last('!'), end, end, end}},
		{TokenizerOptions{Context: 6, Pad: "!"}, []int32{start, last('a'), '!', end, '!', '!'}},
		{TokenizerOptions{Context: 6, Scorer: true}, []int32{start, last('a'), last('!'), end, 0, 0}},
		{TokenizerOptions{Context: 3}, []int32{start, last('a'), end}},
		{TokenizerOptions{Context: 2}, []int32{start, end}},
	}
	for _, tt := range tests {
		if got := made(t, tt.options).EncodePadded([]int32{7}, "a!"); !slices.Equal(got[1:], tt.want) || got[0] != 7 {
			t.Errorf("%+v: %v, want %v after what there was", tt.options, got, tt.want)
		}
	}
}

func TestScorerReadsEntitiesTwiceMore(t *testing.T) {
	scorer := made(t, TokenizerOptions{Scorer: true})
	for text, want := range map[string]int32{"&amp": last('&'), "<&amp;amp;": last('&'), "<end_of_text>": 518} {
		if got := scorer.Encode(nil, text); !slices.Contains(got[1:len(got)-1], want) {
			t.Errorf("%q: %v, want %d among them", text, got, want)
		}
	}
}

// TestFix compares with what ftfy 6.3 gave.
func TestFix(t *testing.T) {
	tests := map[string]string{
		"“a” ‘b’ it’s ‚low‛":                       "\"a\" 'b' it's 'low'",
		"ﬁ ŉ ﬅ Ĳ ǅ ŀ":                              "fi 'n ſt IJ Dž ŀ",
		"ＡＢ１\u3000ｶﾞ":                              "AB1 ガ",
		"\u0085\u0092\u0081":                       "…'\u0081",
		"a\r\nb\rc\u2028d":                         "a\nb\nc\nd",
		"\x1b[31;1mred\x1b[0m\x07\x7f\ufeff":       "red",
		"&NTILDE;&ntilde;&Ntilde;&NTilde;&SZLIG;":  "ÑñÑ&NTilde;SS",
		"&LTIMES;&notit;&nLt;&semi;":               "&LTIMES;&notit;≪⃒;",
		"&#128;&#x41;&#65&#59;&#12a;&#xD800;&#11;": "€A&#65&#59;&#12a;\ufffd",
		"&#99999999999999999999;&#1;":              "\ufffd",
		"&amp;amp;lt;":                             "<",
		"a &lt; b\n<i>&lt;\n&gt;":                  "a < b\n<i>&lt;\n&gt;",
		"＆ａｍｐ；":                                    "&",
	}
	for text, want := range tests {
		if got := fixText(text); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}

// TestUnescape compares with what Python's html.unescape gave.
func TestUnescape(t *testing.T) {
	tests := map[string]string{
		"&amp;amp; &ampx &notit; &lt3 &": "&amp; &x ¬it; <3 &", "&#65 &#x41; &#x80 &#13;": "A A € \r",
		"&#xfdd0;&#x1ffff;&#0;&#;&#x;": "\ufffd&#;&#x;", "&NTILDE;&nGt;": "&NTILDE;≫⃒", "&; &é;": "&; &é;",
	}
	for text, want := range tests {
		if got := unescapeEntities(text); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}

func TestMayNeedRepair(t *testing.T) {
	for text, want := range map[string]bool{"plain & simple": false, "cafÃ©": true, "&Atilde;&copy;": true, "": false} {
		if got := MayNeedRepair(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	vocab, merges := madeFiles()
	tests := []struct {
		name, vocab, merges string
		options             TokenizerOptions
		want                []string
	}{
		{"no JSON", "x", string(merges), TokenizerOptions{}, []string{"vocab.json"}},
		{"below 0", `{"a": -1}`, "", TokenizerOptions{}, []string{`"a" has the id -1`}},
		{"empty", "{}", "", TokenizerOptions{}, []string{startToken, endToken}},
		{"no padding", string(vocab), string(merges), TokenizerOptions{Pad: "[PAD]", Context: 1},
			[]string{`"[PAD]" is not`, "1 ids for each text"}},
		{"merges", string(vocab), "#\nt h e\nx y\n t\n", TokenizerOptions{},
			[]string{"line 2 of", "two tokens", "line 3 of", "not in the vocabulary", "line 4"}},
		{"many", string(vocab), "#" + strings.Repeat("\nx", 9), TokenizerOptions{}, []string{"4 more lines"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.vocab), []byte(tt.merges), tt.options)
			checkError(t, err, tt.want)
		})
	}
}

func checkError(t *testing.T, err error, want []string) {
	t.Helper()
	if !errors.Is(err, ErrFile) {
		t.Fatalf("error %v, want ErrFile", err)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %v, want %q", err, w)
		}
	}
}

func TestParseConfig(t *testing.T) {
	tests := []struct {
		text string
		want TokenizerOptions
	}{
		{`{}`, TokenizerOptions{Context: 77}},
		{`{"pad_token": "!", "model_max_length": 77, "added_tokens_decoder": {"0": {"content": "!"}}}`,
			TokenizerOptions{Pad: "!", Context: 77}},
		{`{"pad_token": {"content": "<|endoftext|>"}, "model_max_length": 20}`, TokenizerOptions{Pad: endToken, Context: 20}},
	}
	for _, tt := range tests {
		if got, err := ParseConfig([]byte(tt.text)); err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
	}
	_, err := ParseConfig([]byte(`{"tokenizer_class": "BertTokenizer", "bos_token": "[CLS]", "eos_token": {"content": "x"},
		"unk_token": "?", "model_max_length": 1e30, "added_tokens_decoder": {"49408": {"content": "<cat-toy>"}}}`))
	checkError(t, err, []string{"BertTokenizer", "[CLS]", `eos_token "x"`, `"?"`, "1e+30", "<cat-toy>"})
	for _, text := range []string{"", `{"pad_token": 1}`} {
		_, err := ParseConfig([]byte(text))
		checkError(t, err, []string{"tokenizer_config.json"})
	}
}

// FuzzEncode holds the tokenizers to what every text must give, and cleaning to being done after one call.
func FuzzEncode(f *testing.F) {
	for _, text := range []string{"a dog's 2 caf\u00e9s!", "&amp;&#128;<|endoftext|>", "\x1b[1m\xff\u0345İΣ"} {
		f.Add(text)
	}
	all := []*Tokenizer{made(f, TokenizerOptions{}), made(f, TokenizerOptions{Pad: "!", Context: 5}), made(f,
		TokenizerOptions{Scorer: true})}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tokenizer := range all {
			ids := tokenizer.EncodePadded(nil, text)
			if len(ids) != tokenizer.Context() || ids[0] != 517 || !slices.Contains(ids, 518) {
				t.Fatalf("%q: %v", text, ids)
			}
			if again := tokenizer.EncodePadded(nil, text); !slices.Equal(again, ids) {
				t.Fatalf("%q: %v, then %v", text, ids, again)
			}
		}
		if fixed := fixText(text); utf8.ValidString(text) && !strings.Contains(fixed, "\n") && fixText(fixed) != fixed {
			t.Fatalf("%q becomes %q, then %q", text, fixed, fixText(fixed))
		}
	})
}

func FuzzParse(f *testing.F) {
	vocab, merges := madeFiles()
	f.Add(vocab, merges, []byte(`{"pad_token": "!", "model_max_length": 77}`))
	f.Fuzz(func(t *testing.T, vocab, merges, config []byte) {
		o, err := ParseConfig(config)
		if err != nil {
			o = TokenizerOptions{}
		}
		if tokenizer, err := Parse(vocab, merges, o); err == nil {
			if ids := tokenizer.EncodePadded(nil, "a dog, the caf\u00e9"); len(ids) != tokenizer.Context() {
				t.Fatalf("%d ids, want %d", len(ids), tokenizer.Context())
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tokenizer := made(b, TokenizerOptions{})
	text := "A man with a red helmet on a small moped on a dirt road."
	var ids []int32
	b.ReportAllocs()
	for b.Loop() {
		ids = tokenizer.EncodePadded(ids[:0], text)
	}
}
