package generate

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// errScores is wrapped by every error about logits that cannot be searched.
var errScores = errors.New("the model's logits are not numbers")

// argmax returns the index of the largest logit, the first of equal ones, without the tokens in banned.
func argmax(logits []float32, banned []int32) (int32, error) {
	best, at := float32(math.Inf(-1)), -1
	for i, v := range logits {
		if v > best && !containsToken(int32(i), banned) {
			best, at = v, i
		} else if v != v {
			return 0, fmt.Errorf("%w: that of token %d", errScores, i)
		}
	}
	if at < 0 {
		return 0, fmt.Errorf("%w: all are minus infinity", errScores)
	}
	return int32(at), nil
}

func containsToken(id int32, ids []int32) bool {
	return slices.Contains(ids, id)
}

// beamCandidate is one token that continues one beam.
type beamCandidate struct {
	score float32 // sum of log probabilities
	beam  int
	token int32
	sum   float32 // only for the rule of GNMT, whose scores are divided sums
}

// topCandidates keeps the n largest candidates in descending order. Equal ones keep the order in which they were
// offered.
type topCandidates struct {
	n    int
	kept []beamCandidate
}

func (b *topCandidates) offerCandidate(c beamCandidate) {
	if len(b.kept) == b.n {
		if c.score <= b.kept[b.n-1].score {
			return
		}
		b.kept = b.kept[:b.n-1]
	}
	i := len(b.kept)
	b.kept = append(b.kept, c)
	for ; i > 0 && b.kept[i-1].score < c.score; i-- {
		b.kept[i] = b.kept[i-1]
	}
	b.kept[i] = c
}

// minScore returns the score that a candidate must exceed to be kept.
func (b *topCandidates) minScore() float32 {
	if len(b.kept) < b.n {
		return float32(math.Inf(-1))
	}
	return b.kept[b.n-1].score
}
