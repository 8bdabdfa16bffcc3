package generate

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// tokenSearch chooses the tokens of one answer. Its branches are the rows that it needs in the cache.
type tokenSearch interface {
	// next takes the logits of each branch, which are its to change, and chooses. At first there is one branch, the
	// prompt.
	next(logits [][]float32) error
	// done says that the answer is complete; no branch is needed any more.
	done() bool
	// tokens are the last ones of the branches, and parents the branches of before that they continue. Both are valid
	// until next, and of the same length for all of an answer.
	tokens() []int32
	parents() []int
	// answer is the best so far: generated tokens, and the end token where it was reached.
	answer() []int32
	// beams are all answers that the search ends with, best first.
	beams() []BeamAnswer
}

// BeamRule is how beam search scores, and when it ends.
type BeamRule int

const (
	// HuggingFace is the rule of transformers: a sum of log probabilities is divided by the length, the end token
	// included, to the power of the prompt's LengthPenalty; a beam that ends gives way to one that goes on.
	HuggingFace BeamRule = iota
	// GNMT is the rule of TensorFlow's beam search with the reference's settings: the sum is divided by
	// ((5+length)/6)^LengthPenalty; a beam that has ended keeps its place among the others until all have, or until
	// MaxNewTokens steps are done. It is the rule for one beam, too. A prompt has one end token then. Unless all beams
	// are asked for (BeamSink), the search ends as soon as no other beam can become the best.
	GNMT
	// GNMTBatch is GNMT with the greatest MaxNewTokens of the prompts that run together for all of them, as the
	// reference has it: what else is in work then changes an answer that comes to no end.
	GNMTBatch
)

// BeamAnswer is one answer of several.
type BeamAnswer struct {
	IDs     []int32 // with the end token, where it was reached
	LogProb float64 // sum over IDs, natural logarithm
	Score   float64 // that the rule sorts by, as of the last step
	Ended   bool    // by an end token
}

// BeamSink is an optional interface of a backend.TokenSink: it gets all beams of an answer, before Complete.
type BeamSink interface {
	// Beams gets all that the search ended with, best first; of greedy search, the answer. all is the sink's.
	Beams(all []BeamAnswer)
}

// newSearch begins the search for one answer; all says that its other beams are asked for as well.
func newSearch(p *backend.Prompt, o GeneratorOptions, all bool) tokenSearch {
	switch {
	case o.Beams != HuggingFace:
		return newGNMTBeams(p, o, all)
	case p.Beams > 1:
		return newBeams(p, o)
	case p.Sampling != nil:
		return newSampled(p, o)
	}
	return &greedySearch{answerLimits: limitsOf(p, o)}
}

// branchCount is how many rows a prompt's search needs.
func branchCount(p *backend.Prompt) int { return max(p.Beams, 1) }

// greedySearch takes the most probable token at each step.
type greedySearch struct {
	answerLimits
	ids   []int32
	ended bool
}

func (g *greedySearch) next(logits [][]float32) error {
	id, err := g.bestToken(logits[0], len(g.ids))
	if err != nil {
		return err
	}
	g.appendToken(id)
	return nil
}

// appendToken goes on with a token.
func (g *greedySearch) appendToken(id int32) {
	g.ids = append(g.ids, id)
	g.ended = len(g.ids) >= g.maxTokens || containsToken(id, g.ends)
}

func (g *greedySearch) done() bool      { return g.ended }
func (g *greedySearch) tokens() []int32 { return g.ids[len(g.ids)-1:] }
func (g *greedySearch) parents() []int  { return alone[:] }
func (g *greedySearch) answer() []int32 { return g.ids }

// beams is the answer, whose probability nobody asked for.
func (g *greedySearch) beams() []BeamAnswer {
	return []BeamAnswer{{IDs: slices.Clone(g.ids), Ended: containsToken(g.ids[len(g.ids)-1], g.ends)}}
}

// alone are the parents of a single branch. It is never written to.
var alone = [1]int{0}
