package generate

import (
	"math"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// beamSearch is the beam search of transformers. Each step takes the best continuations of all beams. Those that end
// become hypotheses, and the others become the next beams.
type beamSearch struct {
	answerLimits
	width  int
	scores []float32 // sums of log probabilities
	ids    [][]int32 // generated so far
	from   []int
	last   []int32
	length int // length of all beams
	pool   hypotheses
	ended  bool

	top     topCandidates
	spareID [][]int32
}

// initialScore is the initial score of all beams except the first. It makes the first step select tokens of one beam
// only.
const initialScore = -1e9

func newBeams(p *backend.Prompt, o GeneratorOptions) *beamSearch {
	b := &beamSearch{
		answerLimits: newAnswerLimits(p, o), width: p.Beams,
		scores: make([]float32, p.Beams), ids: make([][]int32, p.Beams), spareID: make([][]int32, p.Beams),
		from: make([]int, p.Beams), last: make([]int32, p.Beams),
		pool: hypotheses{n: p.Beams, penalty: p.LengthPenalty, stopEarly: p.EarlyStopping, worst: math.MaxFloat64},
	}
	for i := 1; i < p.Beams; i++ {
		b.scores[i] = initialScore
	}
	// One more than the end tokens of each beam is enough to fill the next beams, no matter how many end.
	b.top.n = max(2, 1+len(b.endTokens)) * p.Beams
	return b
}

func (b *beamSearch) next(logits [][]float32) error {
	b.top.kept = b.top.kept[:0]
	for i := range b.width {
		if err := b.scoreBeam(i, logits[min(i, len(logits)-1)]); err != nil {
			return err
		}
	}
	b.length++
	b.chooseBeams()
	b.ended = b.pool.isDecided(float64(b.scores[0]), b.length)
	if !b.ended && b.length >= b.maxTokens {
		b.ended = true
		for i, ids := range b.ids {
			b.pool.add(ids, false, float64(b.scores[i]), b.length)
		}
	}
	return nil
}

// scoreBeam scores all continuations of beam i.
func (b *beamSearch) scoreBeam(i int, logits []float32) error {
	r, err := b.allowedScores(logits, b.length)
	if err != nil {
		return err
	}
	least := r.minValue(b.top.minScore() - b.scores[i])
	for id := indexAtLeast(r.values, 0, least); id < len(r.values); id = indexAtLeast(r.values, id+1, least) {
		if score := r.logProb(r.values[id]) + b.scores[i]; score > b.top.minScore() || len(b.top.kept) < b.top.n {
			b.top.offerCandidate(beamCandidate{score: score, beam: i, token: int32(id)})
			least = r.minValue(b.top.minScore() - b.scores[i])
		}
	}
	return nil
}

// chooseBeams makes the next beams from the best continuations. It drops a continuation that ends and is not among the
// first width.
func (b *beamSearch) chooseBeams() {
	n := 0
	for rank, c := range b.top.kept {
		if containsToken(c.token, b.endTokens) {
			if rank < b.width {
				b.pool.add(b.ids[c.beam], true, float64(c.score), b.length)
			}
			continue
		}
		b.spareID[n] = append(append(b.spareID[n][:0], b.ids[c.beam]...), c.token)
		b.scores[n], b.from[n], b.last[n] = c.score, c.beam, c.token
		if n++; n == b.width {
			break
		}
	}
	b.ids, b.spareID = b.spareID, b.ids
}

func (b *beamSearch) done() bool          { return b.ended }
func (b *beamSearch) tokens() []int32     { return b.last }
func (b *beamSearch) parents() []int      { return b.from }
func (b *beamSearch) answer() []int32     { return b.pool.bestTokens(b.endTokens) }
func (b *beamSearch) beams() []BeamAnswer { return b.pool.sortedBeams(b.endTokens) }
