package squad

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
)

const vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nparis\nin\nthe\nend\n##ing\n.\nwho\n"

// pairs returns a payload of start and end logits. Logits are 0 except those given by position.
func pairs(n int, logits map[int][2]float32) []byte {
	var b []byte
	for i := range n {
		for _, v := range logits[i] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

// question returns a question about a passage whose tokens have positions 3 to 8: [CLS] who [SEP] the end ##ing in
// paris . [SEP]
func question(t testing.TB) []Example {
	var p paragraph
	p.Context = "The ending in Paris."
	p.QAs = slices.Grow(p.QAs, 2)[:2]
	p.QAs[0].ID, p.QAs[0].Question = "0", "Who"
	p.QAs[0].Answers = []struct{ Text string }{{"nothing"}, {"an Ending, in Paris"}}
	p.QAs[1].ID, p.QAs[1].Question = "1", "who"
	p.QAs[1].Answers = []struct{ Text string }{{"paris!"}}
	return build(t, []byte(vocab), []paragraph{p})
}

func TestScorer(t *testing.T) {
	high := func(first, last int) []byte { return pairs(10, map[int][2]float32{first: {9, 0}, last: {1, 9}}) }
	cases := []struct {
		name     string
		payloads [][]byte // of samples 0, 1, 0, 1 ...
		answers  [2]string
		want     string
	}{
		{"both right", [][]byte{high(4, 7), high(7, 7)},
			[2]string{"ending in Paris", "Paris"}, `{"exact_match": 100.0, "f1": 100.0}`},
		{"signs are cut", [][]byte{high(7, 8), high(3, 5)},
			[2]string{"Paris.", "The ending"}, `{"exact_match": 0.0, "f1": 25.0}`},
		{"the end before the start",
			[][]byte{high(7, 4), high(7, 7)}, [2]string{"end", "Paris"}, `{"exact_match": 50.0, "f1": 50.0}`},
		{"the last entry counts", [][]byte{high(3, 3), high(7, 7), high(4, 7)},
			[2]string{"ending in Paris", "Paris"}, `{"exact_match": 100.0, "f1": 100.0}`},
		{"a missing feature",
			[][]byte{high(4, 7)}, [2]string{"ending in Paris", "empty"}, `{"exact_match": 50.0, "f1": 50.0}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New(question(t), ScoreOptions{})
			for i, payload := range c.payloads {
				if err := s.Add(uint64(i%2), payload); err != nil {
					t.Fatal(err)
				}
			}
			r, err := s.Result()
			if err != nil {
				t.Fatal(err)
			}
			if got := [2]string{r.Predictions["0"], r.Predictions["1"]}; got != c.answers || r.String() != c.want {
				t.Errorf("%q, %v; want %q, %s", got, r, c.answers, c.want)
			}
			if r.Total != 2 || r.Duplicates != max(0, len(c.payloads)-2) || r.Missing != max(0, 2-len(c.payloads)) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestScorerRefuses(t *testing.T) {
	cases := []struct {
		name    string
		options ScoreOptions
		index   uint64
		payload []byte
		want    error
	}{
		{"index at the end", ScoreOptions{}, 2, pairs(1, nil), ErrIndex},
		{"index far out", ScoreOptions{}, math.MaxUint64, pairs(1, nil), ErrIndex},
		{"empty", ScoreOptions{}, 0, nil, ErrPayload},
		{"half a pair", ScoreOptions{}, 0, pairs(2, nil)[:12], ErrPayload},
		{"too long", ScoreOptions{}, 0, pairs(385, nil), ErrPayload},
		{"too long for its length", ScoreOptions{Length: 8}, 0, pairs(9, nil), ErrPayload},
		{"not a number", ScoreOptions{}, 0, pairs(1, map[int][2]float32{0: {0, float32(math.NaN())}}), ErrPayload},
		{"no such dtype", ScoreOptions{DType: 99}, 0, pairs(1, nil), ErrPayload},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New(question(t), c.options)
			if err := s.Add(c.index, c.payload); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
				t.Errorf("the entry counts: %v", err)
			}
		})
	}
}

func TestParseDType(t *testing.T) {
	if d, err := DTypes().Parse(""); d != accuracy.Float32 || err != nil {
		t.Errorf("empty: %v, %v; want float32", d, err)
	}
	if _, err := DTypes().Parse("uint8"); err == nil || !strings.Contains(err.Error(), "float16") {
		t.Errorf("a type that the script does not accept: %v", err)
	}
}

func TestLargest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		values := make([]float64, 1+random.IntN(60))
		places := make([]int, len(values))
		for i := range values {
			values[i], places[i] = float64(random.IntN(20)), i
		}
		sort.SliceStable(places, func(a, b int) bool { return values[places[a]] > values[places[b]] })
		var into [maxCandidates]int
		if got := largestPositions(&into, values); !slices.Equal(got, places[:min(len(places), maxCandidates)]) {
			t.Fatalf("%v: got %v, want %v", values, got, places)
		}
	}
}

func TestAlign(t *testing.T) {
	cases := []struct{ name, predicted, original, want string }{
		{"signs around", "steve smith", "(Steve Smith's)", "Steve Smith"},
		{"within a word", "1895 - 1943", "(1895-1943).", "1895-1943"},
		{"accents", "naive etude", "«Naïve Étude»", "Naïve Étude"},
		{"not there", "[UNK]", "Αλφα", "Αλφα"},
		{"the dot of a capital", "ist", "İst x", "İst"},
		{"other lengths", "ab", "a\u200bb c", "a\u200bb c"},
		{"nothing predicted", "", "all of it", "all of it"},
		{"no-break space", "b", "a\u00a0b", "a\u00a0b"},
	}
	for _, c := range cases {
		if got := alignText(c.predicted, c.original); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	cases := []struct {
		predicted string
		accepted  []string
		exact     bool
		f1        float64
	}{
		{"The  U.S.", []string{"us"}, true, 1},
		{"a cat and a dog", []string{"dog", "cat dog"}, false, 0.8},
		{"the the dog dog", []string{"dog"}, false, 2. / 3},
		{"ça va", []string{"CA VA", "ça"}, false, 2. / 3},
		{"a\u0301b", []string{"\u0301b"}, true, 1},
		{"the", []string{"a"}, true, 0},
		{"theory", []string{"ory"}, false, 0},
		{"x\u2014the\u2014y", []string{"x\u2014 \u2014y"}, true, 1},
		{"anything", nil, false, 0},
	}
	for _, c := range cases {
		if exact, f := CompareAnswer(c.predicted, c.accepted); exact != c.exact || math.Abs(f-c.f1) > 1e-15 {
			t.Errorf("%q of %q: got %v, %v; want %v, %v", c.predicted, c.accepted, exact, f, c.exact, c.f1)
		}
	}
}

// FuzzScorer checks that no payload crashes the scorer and that answers are parts of the passage.
func FuzzScorer(f *testing.F) {
	f.Add(pairs(10, map[int][2]float32{4: {9, 0}, 7: {1, 9}}), uint8(accuracy.Float32), false, "The ending in Paris.")
	f.Add([]byte("\x01\x02\x03\x04"), uint8(accuracy.Int8), true, "İ Σ\u00a0the [SEP]")
	f.Fuzz(func(t *testing.T, data []byte, dtype uint8, transposed bool, context string) {
		var p paragraph
		p.Context = context
		p.QAs = slices.Grow(p.QAs, 1)[:1]
		examples := build(t, []byte(vocab), []paragraph{p})
		s := New(examples, ScoreOptions{DType: accuracy.DType(dtype), Transposed: transposed})
		if err := s.Add(0, data); err != nil {
			if !errors.Is(err, ErrPayload) && !errors.Is(err, ErrIndex) {
				t.Fatal(err)
			}
			return
		}
		r, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(examples[0].Features[0].Passage().Words(), " ")
		if text := r.Predictions[""]; text != noAnswer && !strings.Contains(string([]rune(words)), string([]rune(text))) {
			t.Fatalf("%q is not in %q", text, words)
		}
	})
}

// BenchmarkSquad scores a set with the size of SQuAD's development set: 2,067 passages, 10,570 questions and about
// 10,800 features. It includes the time to build the features.
func BenchmarkSquad(b *testing.B) {
	text, err := os.ReadFile("testdata/golden/scorers/squad/small/vocab.txt")
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 8))
	set := make([]paragraph, 2067)
	for i := range set {
		set[i].Context = prose(random, 60+int(random.ExpFloat64()*50))
		set[i].QAs = slices.Grow(set[i].QAs, 6)[:5+random.IntN(9)/8]
		for j := range set[i].QAs {
			qa := &set[i].QAs[j]
			qa.ID, qa.Question = fmt.Sprint(i, "-", j), prose(random, 10)
			for range 3 {
				qa.Answers = append(qa.Answers, struct{ Text string }{prose(random, 3)})
			}
		}
	}
	payload := make([]byte, 384*8)
	b.ReportAllocs()
	for b.Loop() {
		s := New(build(b, text, set), ScoreOptions{})
		for i := range s.features {
			for j := 0; j < len(payload); j += 4 {
				binary.LittleEndian.PutUint32(payload[j:], math.Float32bits(random.Float32()))
			}
			if err := s.Add(uint64(i), payload); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Result(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(s.features)), "features")
	}
}

// prose returns text made of words in the vocabulary of the golden cases and of names with several pieces each.
func prose(random *rand.Rand, words int) string {
	const some = "The mother of Kowalski measured by Brandt near result change rejected in 1728 Lindqvist major " +
		"library, local law announced"
	list := strings.Fields(some)
	var b strings.Builder
	for range words {
		b.WriteString(list[random.IntN(len(list))])
		b.WriteByte(' ')
	}
	return b.String()
}
