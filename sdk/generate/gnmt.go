package generate

import (
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// gnmtBeams is beam search as TensorFlow's BeamSearchDecoder has it: the beams of a step are the best of all
// continuations, one that has ended goes on with end tokens that cost nothing, and all go on until each has ended.
type gnmtBeams struct {
	answerLimits
	penalty float64
	all     bool // beams are asked for
	now     []gnmtBeam
	before  []gnmtBeam
	steps   []gnmtStep

	top topCandidates
}

// gnmtBeam is a beam behind its last step. One that ends is scored without its end token in that step, and with it in
// every later one.
type gnmtBeam struct {
	sum, score float32 // of log probabilities; as they are sorted
	length     int     // with the end token
	ended      bool
}

// gnmtStep is what one step chose for each beam.
type gnmtStep struct {
	tokens []int32
	from   []int
}

func newGNMTBeams(p *backend.Prompt, o GeneratorOptions, all bool) *gnmtBeams {
	g := &gnmtBeams{answerLimits: limitsOf(p, o), penalty: p.LengthPenalty, all: all, now: make([]gnmtBeam,
		branchCount(p))}
	for i := range g.now[1:] {
		g.now[1+i] = gnmtBeam{sum: float32(math.Inf(-1)), ended: true}
	}
	g.before = slices.Clone(g.now)
	g.top.n = len(g.now)
	return g
}

func (g *gnmtBeams) next(logits [][]float32) error {
	g.top.kept = g.top.kept[:0]
	for i := range g.now {
		if err := g.scoreBeam(i, logits[min(i, len(logits)-1)]); err != nil {
			return err
		}
	}
	g.chooseBeams()
	return nil
}

// scoreBeam scores all continuations of beam i: of one that has ended, the end token alone.
func (g *gnmtBeams) scoreBeam(i int, logits []float32) error {
	b := &g.now[i]
	if b.ended {
		g.top.offerCandidate(beamCandidate{score: b.sum / g.lengthDivisor(b.length), beam: i, token: g.ends[0], sum: b.sum})
		return nil
	}
	r, err := g.allowedScores(logits, len(g.steps))
	if err != nil {
		return err
	}
	ending, going := g.lengthDivisor(b.length), g.lengthDivisor(b.length+1)
	end := min(int(g.ends[0]), len(r.values))
	g.scoreTokens(i, &r, 0, end, going)
	if end < len(r.values) {
		g.scoreTokens(i, &r, end, end+1, ending)
		g.scoreTokens(i, &r, end+1, len(r.values), going)
	}
	return nil
}

// scoreTokens scores the tokens from first to before last as continuations of beam i, each divided by a divisor.
func (g *gnmtBeams) scoreTokens(i int, r *tokenScores, first, last int, by float32) {
	sum := g.now[i].sum
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

// lengthDivisor is what a sum of log probabilities over a length is divided by.
func (g *gnmtBeams) lengthDivisor(length int) float32 {
	return float32(math.Pow(float64(5+length)/6, g.penalty))
}

// chooseBeams makes the next beams of the best continuations.
func (g *gnmtBeams) chooseBeams() {
	step := gnmtStep{make([]int32, len(g.now)), make([]int, len(g.now))}
	g.now, g.before = g.before, g.now
	for i, c := range g.top.kept {
		parent := g.before[c.beam]
		step.tokens[i], step.from[i] = c.token, c.beam
		g.now[i] = gnmtBeam{sum: c.sum, score: c.score, length: parent.length, ended: parent.ended || c.token == g.ends[0]}
		if !parent.ended {
			g.now[i].length++
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

// noStepLeft says that no step is left, or no beam that goes on.
func (g *gnmtBeams) noStepLeft() bool {
	return len(g.steps) >= g.maxTokens || !slices.ContainsFunc(g.now, func(b gnmtBeam) bool { return !b.ended })
}

// findWinner returns a beam that has ended and that none of those that go on can overtake, where the best answer is all
// that is asked for: a sum of log probabilities only falls, and what divides it is greatest at the most steps.
func (g *gnmtBeams) findWinner() (beam int, won bool) {
	if g.all {
		return 0, false
	}
	ended, going := float32(math.Inf(-1)), float32(math.Inf(-1))
	for i, b := range g.now {
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

// beamTokens is the tokens of a beam, up to and with the first end token.
func (g *gnmtBeams) beamTokens(beam int) []int32 {
	n := 0
	for _, b := range g.now {
		n = max(n, b.length)
	}
	ids := make([]int32, min(n, len(g.steps)))
	for i := range slices.Backward(ids) {
		ids[i] = g.steps[i].tokens[beam]
		beam = g.steps[i].from[beam]
	}
	if end := slices.Index(ids, g.ends[0]); end >= 0 {
		return ids[:end+1]
	}
	return ids
}

// beams are all, in the order of the last step.
func (g *gnmtBeams) beams() []BeamAnswer {
	all := make([]BeamAnswer, len(g.now))
	for i, b := range g.now {
		all[i] = BeamAnswer{IDs: g.beamTokens(i), LogProb: float64(b.sum), Score: float64(b.score), Ended: b.ended}
	}
	return all
}

// shareSteps gives all prompts of a batch the greatest number of steps of any, where the rule asks for it.
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
