package generate

import (
	"cmp"
	"math"
	"slices"
)

// hypotheses contains the best complete answers of a beam search.
type hypotheses struct {
	n         int
	penalty   float64
	stopEarly bool
	worst     float64
	kept      []hypothesis
}

type hypothesis struct {
	score float64
	sum   float64
	ids   []int32
	ended bool // by an end token
}

// add offers an answer with its sum of log probabilities. The divisor of the sum is length to the power of the penalty.
// length includes the end token, which ids do not contain.
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

// dropWorst removes the worst hypothesis, the first of equal ones.
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

// isDecided reports whether no beam can win any more. With early stopping this is the case as soon as there are enough
// hypotheses. Otherwise all of them must be as good as the best continuing beam would be at this length. Transformers
// uses this rule since its beams are tensors. Its releases up to 4.46 considered the best of all continuations,
// including ended ones, and sometimes continued for longer.
func (h *hypotheses) isDecided(bestSum float64, length int) bool {
	if len(h.kept) < h.n {
		return false
	}
	return h.stopEarly || h.worst >= bestSum/math.Pow(float64(length), h.penalty)
}

// bestTokens returns the tokens of the best hypothesis, the last of equal ones, including the end token if it has one.
func (h *hypotheses) bestTokens(ends []int32) []int32 {
	at := 0
	for i, k := range h.kept {
		if k.score >= h.kept[at].score {
			at = i
		}
	}
	return h.kept[at].tokens(ends)
}

// sortedBeams returns all hypotheses, the best first, including their end tokens.
func (h *hypotheses) sortedBeams(ends []int32) []BeamAnswer {
	var all []BeamAnswer
	for _, k := range slices.Backward(h.kept) {
		all = append(all, BeamAnswer{IDs: k.tokens(ends), LogProb: k.sum, Score: k.score, Ended: k.ended})
	}
	slices.SortStableFunc(all, func(a, b BeamAnswer) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// tokens returns the ids, including the end token if it was reached.
func (h *hypothesis) tokens(ends []int32) []int32 {
	if !h.ended {
		return h.ids
	}
	return append(h.ids[:len(h.ids):len(h.ids)], ends[0])
}
