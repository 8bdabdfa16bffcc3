package generate

import (
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// gnmtBeams is the beam search of TensorFlow's BeamSearchDecoder. The beams of a step are the best of all
// continuations. A beam that has ended continues with end tokens without cost. The search ends when all beams have
// ended.
type gnmtBeams struct {
	answerLimits
	penalty  float64
	allBeams bool // all beams are requested
	current  []gnmtBeam
	previous []gnmtBeam
	steps    []gnmtStep

	top topCandidates
}

// gnmtBeam is a beam after its last step. In the step in which it ends, it is scored without its end token, and in
// later steps with it.
type gnmtBeam struct {
	sum, score float32 // sum: of log probabilities; score: for sorting
	length     int     // including the end token
	ended      bool
}

// gnmtStep is the choice of one step for each beam.
type gnmtStep struct {
	tokens []int32
	from   []int
}

func newGNMTBeams(p *backend.Prompt, o GeneratorOptions, all bool) *gnmtBeams {
	g := &gnmtBeams{answerLimits: newAnswerLimits(p, o), penalty: p.LengthPenalty, allBeams: all, current: make([]gnmtBeam,
		branchCount(p))}
	for i := range g.current[1:] {
		g.current[1+i] = gnmtBeam{sum: float32(math.Inf(-1)), ended: true}
	}
	g.previous = slices.Clone(g.current)
	g.top.n = len(g.current)
	return g
}

func (g *gnmtBeams) next(logits [][]float32) error {
	g.top.kept = g.top.kept[:0]
	for i := range g.current {
		if err := g.scoreBeam(i, logits[min(i, len(logits)-1)]); err != nil {
			return err
		}
	}
	g.chooseBeams()
	return nil
}

// scoreBeam scores all continuations of beam i. For a beam that has ended, the only one is the end token.
func (g *gnmtBeams) scoreBeam(i int, logits []float32) error {
	b := &g.current[i]
	if b.ended {
		score := b.sum / g.lengthDivisor(b.length)
		g.top.offerCandidate(beamCandidate{score: score, beam: i, token: g.endTokens[0], sum: b.sum})
		return nil
	}
	r, err := g.allowedScores(logits, len(g.steps))
	if err != nil {
		return err
	}
	ending, going := g.lengthDivisor(b.length), g.lengthDivisor(b.length+1)
	end := min(int(g.endTokens[0]), len(r.values))
	g.scoreTokens(i, &r, 0, end, going)
	if end < len(r.values) {
		g.scoreTokens(i, &r, end, end+1, ending)
		g.scoreTokens(i, &r, end+1, len(r.values), going)
	}
	return nil
}

// scoreTokens scores the tokens from first up to but not including last as continuations of beam i, each divided by by.
func (g *gnmtBeams) scoreTokens(i int, r *tokenScores, first, last int, by float32) {
	sum := g.current[i].sum
	least := r.minValue(g.top.minScore()*by - sum)
	values := r.values[:last]
	for id := indexAtLeast(values, first, least); id < last; id = indexAtLeast(values, id+1, least) {
		total := sum + r.logProb(values[id])
		if score := total / by; score > g.top.minScore() || len(g.top.kept) < g.top.n {
			g.top.offerCandidate(beamCandidate{score: score, beam: i, token: int32(id), sum: total})
			least = r.minValue(g.top.minScore()*by - sum)
		}
	}
}

// lengthDivisor returns the divisor of a sum of log probabilities over a length.
func (g *gnmtBeams) lengthDivisor(length int) float32 {
	return float32(math.Pow(float64(5+length)/6, g.penalty))
}

// chooseBeams makes the next beams from the best continuations.
func (g *gnmtBeams) chooseBeams() {
	step := gnmtStep{make([]int32, len(g.current)), make([]int, len(g.current))}
	g.current, g.previous = g.previous, g.current
	for i, c := range g.top.kept {
		parent := g.previous[c.beam]
		step.tokens[i], step.from[i] = c.token, c.beam
		ended := parent.ended || c.token == g.endTokens[0]
		g.current[i] = gnmtBeam{sum: c.sum, score: c.score, length: parent.length, ended: ended}
		if !parent.ended {
			g.current[i].length++
		}
	}
	g.steps = append(g.steps, step)
}

func (g *gnmtBeams) done() bool {
	if g.noStepLeft() {
		return true
	}
	_, won := g.findWinner()
	return won
}

// noStepLeft reports whether the maximum number of steps is reached or all beams have ended.
func (g *gnmtBeams) noStepLeft() bool {
	return len(g.steps) >= g.maxTokens || !slices.ContainsFunc(g.current, func(b gnmtBeam) bool { return !b.ended })
}

// findWinner returns an ended beam that no other can overtake, if only the best answer is requested. A sum of log
// probabilities only decreases, and its divisor is largest at the maximum number of steps.
func (g *gnmtBeams) findWinner() (beam int, won bool) {
	if g.allBeams {
		return 0, false
	}
	ended, going := float32(math.Inf(-1)), float32(math.Inf(-1))
	for i, b := range g.current {
		if !b.ended {
			going = max(going, b.sum/g.lengthDivisor(g.maxTokens))
		} else if score := b.sum / g.lengthDivisor(b.length); score > ended {
			ended, beam = score, i
		}
	}
	return beam, ended > going
}

func (g *gnmtBeams) tokens() []int32 { return g.steps[len(g.steps)-1].tokens }
func (g *gnmtBeams) parents() []int  { return g.steps[len(g.steps)-1].from }

func (g *gnmtBeams) answer() []int32 {
	if beam, won := g.findWinner(); won && !g.noStepLeft() {
		return g.beamTokens(beam)
	}
	return g.beamTokens(0)
}

// beamTokens returns the tokens of a beam, up to and including the first end token.
func (g *gnmtBeams) beamTokens(beam int) []int32 {
	n := 0
	for _, b := range g.current {
		n = max(n, b.length)
	}
	ids := make([]int32, min(n, len(g.steps)))
	for i := range slices.Backward(ids) {
		ids[i] = g.steps[i].tokens[beam]
		beam = g.steps[i].from[beam]
	}
	if end := slices.Index(ids, g.endTokens[0]); end >= 0 {
		return ids[:end+1]
	}
	return ids
}

// beams returns all beams in the order of the last step.
func (g *gnmtBeams) beams() []BeamAnswer {
	all := make([]BeamAnswer, len(g.current))
	for i, b := range g.current {
		all[i] = BeamAnswer{IDs: g.beamTokens(i), LogProb: float64(b.sum), Score: float64(b.score), Ended: b.ended}
	}
	return all
}

// shareSteps gives all prompts of a batch the largest number of steps of any prompt if the rule is GNMTBatch.
func shareSteps(rule BeamRule, batch []*sequence) {
	if rule != GNMTBatch {
		return
	}
	most := 0
	for _, s := range batch {
		most = max(most, s.prompt.MaxNewTokens)
	}
	for _, s := range batch {
		s.search.(*gnmtBeams).maxTokens = most
	}
}
