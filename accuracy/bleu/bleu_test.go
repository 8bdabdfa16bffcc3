package bleu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for line, want := range map[string]string{
		" Str@@ aße . \r": "Straße .", "a @@ b": "a b", "a@@": "a@@", "a  b": "a  b", "\u3000": "",
	} {
		if got := CleanReference(line); got != want {
			t.Errorf("%q gives %q, want %q", line, got, want)
		}
	}
}

func TestScorer(t *testing.T) {
	s := New([]string{"a b c d e", "x y", ""})
	if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
		t.Errorf("no entries: %v", err)
	}
	for i, text := range []string{"a b c d e", "x \xff", ""} {
		if err := s.Add(uint64(i), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add(0, []byte("z")); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(3, nil); !errors.Is(err, ErrIndex) {
		t.Errorf("sample 3 of 3: %v", err)
	}
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got.Entries != 3 || got.Duplicates != 1 || got.Damaged != 1 || got.Reference != 8 || got.Translation != 6 {
		t.Errorf("%+v", got)
	}
	if !errors.Is(got.Faults, ErrPayload) || !strings.Contains(got.Faults.Error(), "sample 1: byte 0xff at position 2") {
		t.Errorf("faults %v", got.Faults)
	}
	if got.Matches != [4]int{6, 4, 3, 2} || got.String() != "BLEU: 71.7" {
		t.Errorf("%v, %s", got.Matches, got)
	}
}

// TestMatchesAreClipped scores translations that repeat a word more often than their reference.
func TestMatchesAreClipped(t *testing.T) {
	c := newCounter()
	var sum NgramCounts
	c.addPair(&sum, strings.Fields("the cat the mat"), strings.Fields("the the the cat the"))
	if sum.Matches != [4]int{3, 2, 1, 0} || sum.Possible != [4]int{5, 4, 3, 2} {
		t.Errorf("%+v", sum)
	}
}

// TestCountsAreThoseOfMaps compares the counts of random short and long texts with those of a simple implementation.
func TestCountsAreThoseOfMaps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []string {
		words := make([]string, n)
		for i := range words {
			words[i] = fmt.Sprint(random.IntN(7))
		}
		return words
	}
	c := newCounter()
	for i := range 200 {
		reference, translation := text(random.IntN(1+i*i%301)), text(random.IntN(60))
		var got NgramCounts
		c.addPair(&got, reference, translation)
		if want := plainMatches(reference, translation); got.Matches != want {
			t.Fatalf("%v and %v: %v match, want %v", reference, translation, got.Matches, want)
		}
	}
}

func plainMatches(reference, translation []string) (matches [Order]int) {
	left := map[string]int{}
	each := func(words []string, do func(n int, gram string)) {
		for n := range Order {
			for i := range max(len(words)-n, 0) {
				do(n, strings.Join(words[i:i+n+1], " "))
			}
		}
	}
	each(reference, func(_ int, gram string) { left[gram]++ })
	each(translation, func(n int, gram string) {
		if left[gram] > 0 {
			left[gram]--
			matches[n]++
		}
	})
	return matches
}

// TestLongLines scores a translation of 100,000 words.
func TestLongLines(t *testing.T) {
	var long strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&long, "w%d ", i)
	}
	s := New([]string{long.String(), "a"})
	for i, text := range []string{long.String(), long.String()} {
		if err := s.Add(uint64(i), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := s.Result(); got.Matches[3] != 99_998 {
		t.Errorf("%d 4-grams match", got.Matches[3])
	}
}

// TestTokenizers compares tokens with those of sacreBLEU 2.6.
func TestTokenizers(t *testing.T) {
	for _, c := range []struct {
		tokenizer  SacreTokenizer
		text, want string
	}{
		{T13a, "It's 1,000.5-ish... (a/b) &amp;lt; \"x\",3", `It's 1,000.5 - ish . . . ( a / b ) < " x " , 3`},
		{T13a, "a-\nb<skipped>\nc", "ab c"},
		{Intl, "1,000.5... »a« 2+2=4 in 2014.", "1,000.5 . . . » a « 2 + 2 = 4 in 2014."},
		{Plain, " a\u00a0b, c ", "a b, c"},
		{Char, "aß c", "a ß c"},
		{Zh, "日本a.b。", "日 本 a . b 。"},
	} {
		if got := strings.Join(c.tokenizer.Tokens(c.text), " "); got != c.want {
			t.Errorf("%v: %q gives\n%q, want\n%q", c.tokenizer, c.text, got, c.want)
		}
	}
}

func TestSacreWithoutMatches(t *testing.T) {
	for smoothing, want := range map[Smoothing]float64{Exp: 0, Floor: 0, AddK: 0, None: 0} {
		if got := ScoreSentence("a b", "c d", SacreOptions{Smoothing: smoothing}); got.Score != want {
			t.Errorf("%v: %v, want %v", smoothing, got.Score, want)
		}
	}
	if got, err := ScoreCorpus([]string{""}, []string{""}, SacreOptions{}); err != nil || got.Score != 0 ||
		got.Brevity != 1 {
		t.Errorf("no words: %+v, %v", got, err)
	}
	if _, err := ScoreCorpus([]string{"a"}, nil, SacreOptions{}); !errors.Is(err, ErrLines) {
		t.Errorf("one reference, no translation: %v", err)
	}
}

func TestOptionsAreKnown(t *testing.T) {
	for i, name := range tokenizers {
		if got, err := ParseTokenizer(name); err != nil || got != SacreTokenizer(i) || got.String() != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for i, s := range smoothings {
		if got, err := ParseSmoothing(s.name); err != nil || got != Smoothing(i) || got.String() != s.name {
			t.Errorf("%s: %v, %v", s.name, got, err)
		}
	}
	_, errTokenizer := ParseTokenizer("ja-mecab")
	_, errSmoothing := ParseSmoothing("")
	for _, err := range []error{errTokenizer, errSmoothing} {
		if !errors.Is(err, ErrOption) {
			t.Error(err)
		}
	}
}

// corpus returns 3,003 pairs like those of newstest2014, or the lines of two files that the environment names.
func corpus(b *testing.B) (references, translations []string) {
	b.Helper()
	if ref, hyp := os.Getenv("BLEU_REF"), os.Getenv("BLEU_HYP"); ref != "" {
		return fileLines(b, ref), fileLines(b, hyp)
	}
	random := rand.New(rand.NewPCG(3, 4))
	words := make([]string, 8000)
	for i := range words {
		words[i] = strings.Repeat(string(rune('a'+i%26)), 1+i%7) + fmt.Sprint(i)
	}
	for range 3003 {
		reference := make([]string, 8+random.IntN(33))
		for i := range reference {
			reference[i] = words[random.IntN(len(words))]
		}
		references = append(references, strings.Join(reference, " ")+".")
		for i := range reference {
			if random.IntN(4) == 0 {
				reference[i] = words[random.IntN(len(words))] + ","
			}
		}
		translations = append(translations, strings.Join(reference, " ")+".")
	}
	return references, translations
}

func fileLines(b *testing.B, path string) []string {
	b.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func BenchmarkBLEU(b *testing.B) {
	references, translations := corpus(b)
	b.ReportAllocs()
	for b.Loop() {
		s := New(references)
		for i, text := range translations {
			if err := s.Add(uint64(i), []byte(text)); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Result(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSacreBLEU(b *testing.B) {
	references, translations := corpus(b)
	for _, tokenizer := range []SacreTokenizer{T13a, Intl} {
		b.Run(tokenizer.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ScoreCorpus(references, translations, SacreOptions{Tokenizer: tokenizer}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzTokens checks that tokenizers change only white space, except for entities, and that a text's BLEU with itself is
// 100.
func FuzzTokens(f *testing.F) {
	f.Add("It's 1,000.5-ish... (a/b)")
	f.Add("»a« 日本 2+2=4 in 2014.")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		if strings.ContainsAny(text, "&<\n") {
			return
		}
		for i := range tokenizers {
			tokens := SacreTokenizer(i).Tokens(text)
			if got, want := strings.Join(tokens, ""), strings.Join(Plain.Tokens(text), ""); got != want {
				t.Errorf("%v: %q became %q", SacreTokenizer(i), text, tokens)
			}
			if got := ScoreSentence(text, text, SacreOptions{Tokenizer: SacreTokenizer(i)}); len(tokens) > 0 && !near(got.Score,
				100) {
				t.Errorf("%v: %q scores %v with itself", SacreTokenizer(i), text, got.Score)
			}
		}
	})
}
