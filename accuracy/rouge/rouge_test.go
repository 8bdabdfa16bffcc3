package rouge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestScore(t *testing.T) {
	cases := []struct {
		name, reference, prediction string
		want                        [4]string // F of the four variants
	}{
		{"equal", "the cat sat", "the cat sat", [4]string{"1.0000", "1.0000", "1.0000", "1.0000"}},
		{"nothing", "", "the cat", [4]string{"0.0000", "0.0000", "0.0000", "0.0000"}},
		{"nothing but signs", "...", "!", [4]string{"0.0000", "0.0000", "0.0000", "0.0000"}},
		{"one word", "Cats", "cat", [4]string{"1.0000", "0.0000", "1.0000", "1.0000"}},
		{"order", "a b c d", "d c b a", [4]string{"1.0000", "0.0000", "0.2500", "0.2500"}},
		{"repeated", "a a a b", "a b b b", [4]string{"0.5000", "0.3333", "0.5000", "0.5000"}},
		{"union of sentences", "a b c d e", "a c g h e\na b f", [4]string{"0.6154", "0.1818", "0.4615", "0.6154"}},
		{"empty lines", "a b\n\n", "\n\na\nb", [4]string{"1.0000", "1.0000", "1.0000", "1.0000"}},
		{"letters with an ASCII lower case", "\u212aelvin \u0130stanbul", "kelvin i stanbul",
			[4]string{"1.0000", "1.0000", "1.0000", "1.0000"}},
		{"invalid UTF-8", "a\xffb", "a b", [4]string{"1.0000", "1.0000", "1.0000", "1.0000"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New(TokenizerOptions{Stem: true}).Score(c.reference, c.prediction)
			var got [4]string
			for i, kind := range []Score{s.Rouge1, s.Rouge2, s.RougeL, s.RougeLsum} {
				got[i] = fmt.Sprintf("%.4f", kind.F)
			}
			if got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// FuzzScore compares the bit-vector algorithm with the textbook algorithm.
func FuzzScore(f *testing.F) {
	f.Add("a b c d e", "a b f\na c g h e")
	f.Add(strings.Repeat("a b c ", 50), strings.Repeat("c a\n", 70))
	f.Add("\xc4\xb0\xe2\x84\xaa\n", "i k")
	s := New(TokenizerOptions{Stem: true}) // shared, so that state left by a score would be visible
	f.Fuzz(func(t *testing.T, reference, prediction string) {
		if len(reference) > 2000 || len(prediction) > 2000 {
			t.Skip("the textbook algorithm takes too long")
		}
		got := s.Score(reference, prediction)
		r, p := tokenLines(s, reference), tokenLines(s, prediction)
		if want := slowScores(r, p); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestScoreOfLongTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := New(TokenizerOptions{})
	for range 200 {
		reference, prediction := randomText(random), randomText(random)
		got, want := s.Score(reference, prediction), slowScores(tokenLines(s, reference), tokenLines(s, prediction))
		if got != want {
			t.Fatalf("%q\n%q\ngot %v, want %v", reference, prediction, got, want)
		}
	}
}

// randomText returns lines of 0 to 150 words, so that rows need one or several machine words.
func randomText(random *rand.Rand) string {
	var b strings.Builder
	words := 2 + random.IntN(30)
	for range 1 + random.IntN(4) {
		for range random.IntN(150) {
			fmt.Fprintf(&b, "%d ", random.IntN(words))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func tokenLines(s *TextScorer, text string) [][]int32 {
	var lines [][]int32
	for line := range strings.SplitSeq(text, "\n") {
		if tokens := s.words.tokenize(textSentences{}, line).tokens; len(tokens) > 0 {
			lines = append(lines, tokens)
		}
	}
	return lines
}

// slowScores computes the four variants from their definitions.
func slowScores(reference, predicted [][]int32) Scores {
	r, p := slices.Concat(reference...), slices.Concat(predicted...)
	if len(r) == 0 || len(p) == 0 {
		return Scores{}
	}
	return Scores{
		Rouge1:    newScore(slowShared(singles(r), singles(p)), len(r), len(p)),
		Rouge2:    newScore(slowShared(pairs(r), pairs(p)), len(r)-1, len(p)-1),
		RougeL:    newScore(len(slowLCS(r, p)), len(r), len(p)),
		RougeLsum: newScore(slowUnion(reference, predicted), len(r), len(p)),
	}
}

func singles(words []int32) (s [][2]int32) {
	for _, w := range words {
		s = append(s, [2]int32{w})
	}
	return s
}

func pairs(words []int32) (s [][2]int32) {
	for i := 1; i < len(words); i++ {
		s = append(s, [2]int32{words[i-1], words[i]})
	}
	return s
}

func slowShared(a, b [][2]int32) int {
	left := map[[2]int32]int{}
	for _, x := range a {
		left[x]++
	}
	shared := 0
	for _, x := range b {
		if left[x] > 0 {
			left[x]--
			shared++
		}
	}
	return shared
}

// slowLCS returns the positions in r of a longest common subsequence, using the full table.
func slowLCS(r, p []int32) []int {
	table := make([][]int, len(r)+1)
	for i := range table {
		table[i] = make([]int, len(p)+1)
		for j := 1; i > 0 && j <= len(p); j++ {
			if table[i][j] = max(table[i-1][j], table[i][j-1]); r[i-1] == p[j-1] {
				table[i][j] = table[i-1][j-1] + 1
			}
		}
	}
	var places []int
	for i, j := len(r), len(p); i > 0 && j > 0; {
		switch {
		case r[i-1] == p[j-1]:
			places = append(places, i-1)
			i, j = i-1, j-1
		case table[i][j-1] > table[i-1][j]:
			j--
		default:
			i--
		}
	}
	return places
}

func slowUnion(reference, predicted [][]int32) int {
	left := map[int32]int{}
	for _, w := range slices.Concat(predicted...) {
		left[w]++
	}
	hits := 0
	for _, r := range reference {
		union := map[int]bool{}
		for _, p := range predicted {
			for _, i := range slowLCS(r, p) {
				union[i] = true
			}
		}
		for i := range union {
			if left[r[i]] > 0 {
				left[r[i]]--
				hits++
			}
		}
	}
	return hits
}

// BenchmarkScore compares all pairs of a data set with the size of the CNN/DailyMail test set: 13,368 pairs of about 62
// words.
func BenchmarkScore(b *testing.B) {
	const count = 13368
	random := rand.New(rand.NewPCG(3, 4))
	references, predictions := make([]string, count), make([]string, count)
	for i := range count {
		references[i] = summary(random, nil)
		predictions[i] = summary(random, strings.Fields(references[i]))
	}
	b.ReportAllocs()
	for b.Loop() {
		s := New(TokenizerOptions{Stem: true})
		for i := range count {
			s.Score(references[i], predictions[i])
		}
	}
}

// summary returns three to four sentences. If other is given, half of the words come from it.
func summary(random *rand.Rand, other []string) string {
	var b strings.Builder
	for i := range 62 {
		word := fmt.Sprintf("w%ding", int(random.ExpFloat64()*800))
		if random.IntN(2) == 0 && len(other) > 0 {
			word = other[min(i, len(other)-1)]
		}
		b.WriteString(word)
		b.WriteByte(" \n"[random.IntN(18)/17])
	}
	return b.String()
}
