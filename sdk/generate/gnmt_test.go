package generate_test

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// TestBestBeamAloneIsTheFirstOfAll requests only the best answer, which needs fewer steps than all beams.
func TestBestBeamAloneIsTheFirstOfAll(t *testing.T) {
	for _, penalty := range []float64{0, 0.6, 1, 3} {
		for _, vocab := range []int{3, 7, 30} {
			t.Run(fmt.Sprintf("penalty=%v,vocab=%d", penalty, vocab), func(t *testing.T) {
				all := prompts(60, uint64(vocab))
				o := generate.GeneratorOptions{MaxSequences: 12, Beams: generate.GNMT}
				first, whole := open(t, &toy{vocab: vocab, layers: 1}, o), open(t, &toy{vocab: vocab, layers: 1}, o)
				for i, p := range all {
					p.Beams, p.LengthPenalty = 2+i%9, penalty
					for j := range p.Tokens {
						p.Tokens[j] %= int32(vocab)
					}
					compareFirst(t, first, whole, p)
				}
				if few, many := first.Stats().Steps, whole.Stats().Steps; few > many {
					t.Errorf("%d steps for the best beam, %d for all", few, many)
				}
			})
		}
	}
}

func compareFirst(t *testing.T, first, whole *generate.Generator, p backend.Prompt) {
	t.Helper()
	var best answer
	var beams scores
	if err := first.Generate(t.Context(), p, &best); err != nil {
		t.Fatal(err)
	}
	if err := whole.Generate(t.Context(), p, &beams); err != nil {
		t.Fatal(err)
	}
	best.check(t, beams.beams[0].IDs)
}
