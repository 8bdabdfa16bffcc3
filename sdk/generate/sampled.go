package generate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// samplingSearch draws a token at each step.
type samplingSearch struct {
	greedySearch
	temperature, topP   float64
	topK                int // 0: all
	seed                uint64
	presence, frequency float64
	tokenCounts         map[int32]int // counts of the answer's tokens; nil: there are no penalties

	draws []weightedToken
}

// weightedToken is a token that can be drawn.
type weightedToken struct {
	id     int32
	logit  float64
	weight float64 // its probability times a common factor
}

func newSampling(p *backend.Prompt, o GeneratorOptions) *samplingSearch {
	of := p.Sampling
	s := &samplingSearch{
		greedySearch: greedySearch{answerLimits: newAnswerLimits(p, o)}, temperature: valueOr(of.Temperature, 1),
		topP: valueOr(of.TopP, 1),
		topK: max(valueOr(of.TopK, -1), 0), presence: valueOr(of.PresencePenalty, 0), frequency: valueOr(of.FrequencyPenalty,
			0),
	}
	if of.Seed != nil {
		s.seed = uint64(*of.Seed)
	} else {
		s.seed = rand.Uint64()
	}
	if s.presence != 0 || s.frequency != 0 {
		s.tokenCounts = map[int32]int{}
	}
	return s
}

func valueOr[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}

func (s *samplingSearch) next(logits [][]float32) error {
	id, err := s.drawToken(logits[0], len(s.ids))
	if err != nil {
		return err
	}
	if s.tokenCounts != nil {
		s.tokenCounts[id]++
	}
	s.appendToken(id)
	return nil
}

// drawToken draws the token that follows n others. If there are penalties, it changes the logits.
func (s *samplingSearch) drawToken(logits []float32, n int) (int32, error) {
	if s.mustEnd(n) {
		return s.endTokens[0], nil
	}
	for id, times := range s.tokenCounts {
		if int(id) < len(logits) {
			logits[id] -= float32(s.presence + s.frequency*float64(times))
		}
	}
	greatest, err := argmax(logits, s.bannedTokens(n))
	if err != nil || s.temperature == 0 {
		return greatest, err
	}
	if math.IsInf(float64(logits[greatest]), 1) {
		return 0, fmt.Errorf("%w: that of token %d is infinite", errScores, greatest)
	}
	s.weighTokens(logits, greatest, n)
	s.applyTopLimits()
	return s.pickToken(rand.New(rand.NewPCG(s.seed, uint64(n))).Float64()), nil //nolint:gosec // draws are not secrets
}

// weighTokens lists the tokens that can be drawn, ordered by id.
func (s *samplingSearch) weighTokens(logits []float32, greatest int32, n int) {
	most := float64(logits[greatest])
	s.draws = s.draws[:0]
	for i, v := range logits {
		weight := math.Exp((float64(v) - most) / s.temperature)
		if weight > 0 {
			s.draws = append(s.draws, weightedToken{int32(i), float64(v), weight})
		}
	}
	if banned := s.bannedTokens(n); len(banned) > 0 {
		s.draws = slices.DeleteFunc(s.draws, func(d weightedToken) bool { return containsToken(d.id, banned) })
	}
}

// applyTopLimits removes the tokens that TopK and TopP exclude.
func (s *samplingSearch) applyTopLimits() {
	if s.topP >= 1 && (s.topK == 0 || s.topK >= len(s.draws)) {
		return
	}
	slices.SortFunc(s.draws, func(a, b weightedToken) int {
		return cmp.Or(cmp.Compare(b.logit, a.logit), cmp.Compare(a.id,
			b.id))
	})
	if s.topK > 0 && s.topK < len(s.draws) {
		s.draws = s.draws[:s.topK]
	}
	if s.topP < 1 {
		enough, sum := s.topP*s.sumWeights(), 0.0
		for i, d := range s.draws {
			if sum += d.weight; sum >= enough {
				s.draws = s.draws[:i+1]
				break
			}
		}
	}
	slices.SortFunc(s.draws, func(a, b weightedToken) int { return cmp.Compare(a.id, b.id) })
}

func (s *samplingSearch) sumWeights() float64 {
	sum := 0.0
	for _, d := range s.draws {
		sum += d.weight
	}
	return sum
}

// pickToken returns the first token at which the running sum of the weights exceeds this part of their total.
func (s *samplingSearch) pickToken(part float64) int32 {
	upTo, sum := part*s.sumWeights(), 0.0
	for _, d := range s.draws {
		if sum += d.weight; sum > upTo {
			return d.id
		}
	}
	return s.draws[len(s.draws)-1].id
}
