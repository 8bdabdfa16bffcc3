package generate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// sampled draws a token at each step.
type sampled struct {
	greedy
	temperature, topP   float64
	topK                int // 0: all
	seed                uint64
	presence, frequency float64
	times               map[int32]int // how often the answer holds a token; nil: there are no penalties

	draws []draw
}

// draw is a token that can be drawn.
type draw struct {
	id     int32
	logit  float64
	weight float64 // its probability, but for a factor that all have
}

func newSampled(p *backend.Prompt, o Options) *sampled {
	of := p.Sampling
	s := &sampled{
		greedy: greedy{limits: limitsOf(p, o)}, temperature: or(of.Temperature, 1), topP: or(of.TopP, 1),
		topK: max(or(of.TopK, -1), 0), presence: or(of.PresencePenalty, 0), frequency: or(of.FrequencyPenalty, 0),
	}
	if of.Seed != nil {
		s.seed = uint64(*of.Seed)
	} else {
		s.seed = rand.Uint64()
	}
	if s.presence != 0 || s.frequency != 0 {
		s.times = map[int32]int{}
	}
	return s
}

func or[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}

func (s *sampled) next(logits [][]float32) error {
	id, err := s.draw(logits[0], len(s.ids))
	if err != nil {
		return err
	}
	if s.times != nil {
		s.times[id]++
	}
	s.take(id)
	return nil
}

// draw is the token behind n others. It changes the logits where there are penalties.
func (s *sampled) draw(logits []float32, n int) (int32, error) {
	if s.mustEnd(n) {
		return s.ends[0], nil
	}
	for id, times := range s.times {
		if int(id) < len(logits) {
			logits[id] -= float32(s.presence + s.frequency*float64(times))
		}
	}
	greatest, err := argmax(logits, s.banned(n))
	if err != nil || s.temperature == 0 {
		return greatest, err
	}
	if math.IsInf(float64(logits[greatest]), 1) {
		return 0, fmt.Errorf("%w: that of token %d is infinite", errScores, greatest)
	}
	s.weigh(logits, greatest, n)
	s.narrow()
	return s.pick(rand.New(rand.NewPCG(s.seed, uint64(n))).Float64()), nil //nolint:gosec // draws are no secrets
}

// weigh lists the tokens that can be drawn, by their ids.
func (s *sampled) weigh(logits []float32, greatest int32, n int) {
	most := float64(logits[greatest])
	s.draws = s.draws[:0]
	for i, v := range logits {
		weight := math.Exp((float64(v) - most) / s.temperature)
		if weight > 0 {
			s.draws = append(s.draws, draw{int32(i), float64(v), weight})
		}
	}
	if banned := s.banned(n); len(banned) > 0 {
		s.draws = slices.DeleteFunc(s.draws, func(d draw) bool { return among(d.id, banned) })
	}
}

// narrow leaves what TopK and TopP admit.
func (s *sampled) narrow() {
	if s.topP >= 1 && (s.topK == 0 || s.topK >= len(s.draws)) {
		return
	}
	slices.SortFunc(s.draws, func(a, b draw) int { return cmp.Or(cmp.Compare(b.logit, a.logit), cmp.Compare(a.id, b.id)) })
	if s.topK > 0 && s.topK < len(s.draws) {
		s.draws = s.draws[:s.topK]
	}
	if s.topP < 1 {
		enough, sum := s.topP*s.sum(), 0.0
		for i, d := range s.draws {
			if sum += d.weight; sum >= enough {
				s.draws = s.draws[:i+1]
				break
			}
		}
	}
	slices.SortFunc(s.draws, func(a, b draw) int { return cmp.Compare(a.id, b.id) })
}

func (s *sampled) sum() float64 {
	sum := 0.0
	for _, d := range s.draws {
		sum += d.weight
	}
	return sum
}

// pick is the first token up to which the weights add up to more than this part of all.
func (s *sampled) pick(part float64) int32 {
	upTo, sum := part*s.sum(), 0.0
	for _, d := range s.draws {
		if sum += d.weight; sum > upTo {
			return d.id
		}
	}
	return s.draws[len(s.draws)-1].id
}
