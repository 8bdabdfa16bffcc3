package generate

import (
	"cmp"
	"math"
	"slices"
)

// hypotheses are the best complete answers of a beam search.
type hypotheses struct {
	n       int
	penalty float64
	early   bool
	worst   float64
	kept    []hypothesis
}

type hypothesis struct {
	score float64
	sum   float64
	ids   []int32
	ended bool // by an end token
}

// add offers an answer with its sum of log probabilities. length is what the sum is divided by, to the power of the
// penalty: it counts the end token, ids do not have it.
func (h *hypotheses) add(ids []int32, ended bool, sum float64, length int) {
	score := sum / math.Pow(float64(length), h.penalty)
	if len(h.kept) >= h.n && score <= h.worst {
		return
	}
	h.kept = append(h.kept, hypothesis{score, sum, slices.Clone(ids), ended})
	if len(h.kept) <= h.n {
		h.worst = min(score, h.worst)
		return
	}
	h.dropWorst()
}

// dropWorst removes the worst, the first of equal ones.
func (h *hypotheses) dropWorst() {
	at := 0
	for i, k := range h.kept {
		if k.score < h.kept[at].score {
			at = i
		}
	}
	h.kept = slices.Delete(h.kept, at, at+1)
	h.worst = math.MaxFloat64
	for _, k := range h.kept {
		h.worst = min(h.worst, k.score)
	}
}

// isDecided says that no beam can win any more: with early stopping once there are enough hypotheses, else once none is
// worse than the best beam that goes on would be at this length, as transformers has it since beams are its tensors.
// Releases up to 4.46 took the best of all continuations, ended ones too, and went on for longer at times.
func (h *hypotheses) isDecided(bestSum float64, length int) bool {
	if len(h.kept) < h.n {
		return false
	}
	return h.early || h.worst >= bestSum/math.Pow(float64(length), h.penalty)
}

// bestTokens returns the tokens of the best, the last of equal ones, with the end token where one ended it.
func (h *hypotheses) bestTokens(ends []int32) []int32 {
	at := 0
	for i, k := range h.kept {
		if k.score >= h.kept[at].score {
			at = i
		}
	}
	return h.kept[at].tokens(ends)
}

// sortedBeams are all, best first, with their end tokens.
func (h *hypotheses) sortedBeams(ends []int32) []BeamAnswer {
	var all []BeamAnswer
	for _, k := range slices.Backward(h.kept) {
		all = append(all, BeamAnswer{IDs: k.tokens(ends), LogProb: k.sum, Score: k.score, Ended: k.ended})
	}
	slices.SortStableFunc(all, func(a, b BeamAnswer) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// tokens are the ids, with the end token where one ended them.
func (h *hypothesis) tokens(ends []int32) []int32 {
	if !h.ended {
		return h.ids
	}
	return append(h.ids[:len(h.ids):len(h.ids)], ends[0])
}
