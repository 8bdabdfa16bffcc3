package generate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// TestForcedEnd requires the end token in every answer. Answers of the maximum length may differ from the others only
// in their last token.
func TestForcedEnd(t *testing.T) {
	all := prompts(40, 9)
	for i := range all {
		all[i].Beams = i % 4
	}
	model := func() backend.Session { return &toy{vocab: 30, layers: 1, favour: -1} }
	for _, rule := range []generate.BeamRule{generate.HuggingFace, generate.GNMT} {
		o := generate.GeneratorOptions{Beams: rule}
		free := generateAll(t, open(t, model(), o), all)
		o.ForceEnd = true
		for i, a := range generateAll(t, open(t, model(), o), all) {
			if len(a.all) > all[i].MaxNewTokens || a.all[len(a.all)-1] != 0 {
				t.Errorf("rule %d: answer %d of at most %d tokens is %v", rule, i, all[i].MaxNewTokens, a.all)
			}
			want := append(slices.Clone(free[i].all[:len(free[i].all)-1]), 0)
			if all[i].Beams < 2 && rule == generate.HuggingFace {
				a.check(t, want)
			}
		}
	}
}

// scores is a sink that stores the beams.
type scores struct {
	answer
	beams []generate.BeamAnswer
}

func (s *scores) Beams(all []generate.BeamAnswer) { s.beams = all }

// TestRenormalizedAnswersAreAllThereIs adds up the probabilities of all possible answers.
func TestRenormalizedAnswersAreAllThereIs(t *testing.T) {
	for _, renormalize := range []bool{false, true} {
		g := open(t, &toy{vocab: 4, layers: 1}, generate.GeneratorOptions{
			MaxSequences: 16, Never: []int32{3}, ForceEnd: true, Renormalize: renormalize,
		})
		var s scores
		if err := g.Generate(t.Context(), backend.Prompt{
			Tokens: []int32{1, 2}, MaxNewTokens: 4, EOS: []int32{0}, Beams: 15, LengthPenalty: 1,
		}, &s); err != nil {
			t.Fatal(err)
		}
		var sum float64
		for _, b := range s.beams {
			if slices.Contains(b.IDs, 3) || !b.Ended {
				t.Errorf("%v is an answer", b.IDs)
			}
			sum += math.Exp(b.LogProb)
		}
		if got := math.Abs(sum-1) < 1e-5; got != renormalize || sum > 1+1e-5 {
			t.Errorf("renormalized %v: the probabilities of all answers add up to %v", renormalize, sum)
		}
	}
}
