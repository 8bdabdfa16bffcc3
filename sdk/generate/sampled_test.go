package generate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// draws counts the first tokens for n seeds.
func draws(t *testing.T, p backend.Prompt, logits []float32, n int) []int {
	t.Helper()
	counts := make([]int, len(logits))
	for seed := range int64(n) {
		of := *p.Sampling
		of.Seed = &seed
		p.Sampling = &of
		s := newSampling(&p, GeneratorOptions{})
		if err := s.next([][]float32{slices.Clone(logits)}); err != nil {
			t.Fatal(err)
		}
		counts[s.answer()[0]]++
	}
	return counts
}

// TestDraws checks that tokens occur with their probabilities, and that impossible tokens never occur.
func TestDraws(t *testing.T) {
	inf := float32(math.Inf(-1))
	logits := []float32{1, 0, 2, inf, -1, 2}
	number, whole := func(v float64) *float64 { return &v }, func(v int) *int { return &v }
	for name, c := range map[string]struct {
		prompt  backend.Prompt
		allowed []int
		by      float64 // temperature
	}{
		"all":             {backend.Prompt{Sampling: &backend.Sampling{}}, []int{0, 1, 2, 4, 5}, 1},
		"hot":             {backend.Prompt{Sampling: &backend.Sampling{Temperature: number(3)}}, []int{0, 1, 2, 4, 5}, 3},
		"three":           {backend.Prompt{Sampling: &backend.Sampling{TopK: whole(3)}}, []int{0, 2, 5}, 1},
		"all that are":    {backend.Prompt{Sampling: &backend.Sampling{TopK: whole(-1)}}, []int{0, 1, 2, 4, 5}, 1},
		"nine in ten":     {backend.Prompt{Sampling: &backend.Sampling{TopP: number(0.9)}}, []int{0, 2, 5}, 1},
		"a half":          {backend.Prompt{Sampling: &backend.Sampling{TopP: number(0.5)}}, []int{2, 5}, 1},
		"of two, a third": {backend.Prompt{Sampling: &backend.Sampling{TopK: whole(2), TopP: number(0.3)}}, []int{2}, 1},
		"cold":            {backend.Prompt{Sampling: &backend.Sampling{Temperature: number(0)}}, []int{2}, 1},
		"freezing":        {backend.Prompt{Sampling: &backend.Sampling{Temperature: number(1e-300)}}, []int{2, 5}, 1},
		"no end yet": {backend.Prompt{MinNewTokens: 1, EOS: []int32{2, 9}, Sampling: &backend.Sampling{}},
			[]int{0, 1, 4, 5}, 1},
	} {
		c.prompt.MaxNewTokens = 4
		const n = 4000
		got := draws(t, c.prompt, logits, n)
		sum := 0.0
		for _, i := range c.allowed {
			sum += math.Exp(float64(logits[i]) / c.by)
		}
		for i := range logits {
			p := 0.0
			if slices.Contains(c.allowed, i) {
				p = math.Exp(float64(logits[i])/c.by) / sum
			}
			if off := math.Abs(float64(got[i]) - n*p); off > 5*math.Sqrt(n*p*(1-p))+1e-9 {
				t.Errorf("%s: token %d came %d times of %d, its probability is %.4f", name, i, got[i], n, p)
			}
		}
	}
}

// TestPenalties checks that a token in the answer is penalized once, and once per occurrence.
func TestPenalties(t *testing.T) {
	cold, presence, frequency := 0.0, 0.4, 0.25
	s := newSampling(&backend.Prompt{MaxNewTokens: 9, Sampling: &backend.Sampling{
		Temperature: &cold, PresencePenalty: &presence, FrequencyPenalty: &frequency,
	}}, GeneratorOptions{})
	for range 7 {
		if err := s.next([][]float32{{2, 1, 0.9}}); err != nil {
			t.Fatal(err)
		}
	}
	// 2; 1.35; 1.1; 0.85 is below 1 and 0.9, then all three in turn
	if got := fmt.Sprint(s.answer()); got != "[0 0 0 1 2 0 0]" {
		t.Errorf("%s", got)
	}
}

func TestDrawsOfNoNumbers(t *testing.T) {
	for _, logits := range [][]float32{
		{0, float32(math.NaN())}, {float32(math.Inf(-1)), float32(math.Inf(-1))}, {0, float32(math.Inf(1))},
	} {
		s := newSampling(&backend.Prompt{MaxNewTokens: 1, Sampling: &backend.Sampling{}}, GeneratorOptions{})
		if err := s.next([][]float32{logits}); !errors.Is(err, errScores) {
			t.Errorf("%v: %v", logits, err)
		}
	}
}

// TestSeeds checks that the same seed gives the same answer, and that without a seed answers differ.
func TestSeeds(t *testing.T) {
	answer := func(seed *int64) string {
		s := newSampling(&backend.Prompt{MaxNewTokens: 40, Sampling: &backend.Sampling{Seed: seed}}, GeneratorOptions{})
		for range 40 {
			if err := s.next([][]float32{make([]float32, 1000)}); err != nil {
				t.Fatal(err)
			}
		}
		return fmt.Sprint(s.answer())
	}
	one, two := int64(1), int64(2)
	first, again, other := answer(&one), answer(&one), answer(&two)
	if free, freer := answer(nil), answer(nil); first != again || first == other || free == freer {
		t.Error("seeds do not make the answers")
	}
}
