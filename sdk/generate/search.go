package generate

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// tokenSearch chooses the tokens of one answer. Each of its branches needs a row in the cache.
type tokenSearch interface {
	// next chooses tokens by the logits of each branch, which it may change. At first there is one branch, the prompt.
	next(logits [][]float32) error
	// done reports whether the answer is complete and needs no branch any more.
	done() bool
	// tokens returns the last tokens of the branches. parents returns the previous branches that they continue. Both are
	// valid until next, and their length is the same for the whole answer.
	tokens() []int32
	parents() []int
	// answer returns the best answer so far: generated tokens, including the end token if it was reached.
	answer() []int32
	// beams returns all final answers, the best first.
	beams() []BeamAnswer
}

// BeamRule determines how beam search scores and when it ends.
type BeamRule int

const (
	// HuggingFace is the rule of transformers. It divides a sum of log probabilities by the length, including the end
	// token, to the power of the prompt's LengthPenalty. A beam that ends is replaced by one that continues.
	HuggingFace BeamRule = iota
	// GNMT is the rule of TensorFlow's beam search with the reference's settings. It divides the sum by
	// ((5+length)/6)^LengthPenalty. A beam that has ended remains among the others until all have ended or MaxNewTokens
	// steps are done. The rule also applies to a single beam. A prompt must have one end token. Unless all beams are
	// requested (BeamSink), the search ends as soon as no other beam can become the best.
	GNMT
	// GNMTBatch is GNMT with the largest MaxNewTokens of the prompts that run together, like the reference. An answer
	// without an end therefore depends on concurrent prompts.
	GNMTBatch
)

// BeamAnswer is one of several answers.
type BeamAnswer struct {
	IDs     []int32 // including the end token if it was reached
	LogProb float64 // sum over IDs, natural logarithm
	Score   float64 // sort key of the rule in the last step
	Ended   bool    // by an end token
}

// BeamSink is an optional interface of a backend.TokenSink. It receives all beams of an answer before Complete.
type BeamSink interface {
	// Beams receives all final beams, the best first. For greedy search it receives the answer. The sink owns all.
	Beams(all []BeamAnswer)
}

// newSearch begins the search for one answer. all means that its other beams are also requested.
func newSearch(p *backend.Prompt, o GeneratorOptions, all bool) tokenSearch {
	switch {
	case o.Beams != HuggingFace:
		return newGNMTBeams(p, o, all)
	case p.Beams > 1:
		return newBeams(p, o)
	case p.Sampling != nil:
		return newSampling(p, o)
	}
	return &greedySearch{answerLimits: newAnswerLimits(p, o)}
}

// branchCount returns the number of rows that a prompt's search needs.
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

// appendToken appends a token to the answer.
func (g *greedySearch) appendToken(id int32) {
	g.ids = append(g.ids, id)
	g.ended = len(g.ids) >= g.maxTokens || containsToken(id, g.endTokens)
}

func (g *greedySearch) done() bool      { return g.ended }
func (g *greedySearch) tokens() []int32 { return g.ids[len(g.ids)-1:] }
func (g *greedySearch) parents() []int  { return singleParent[:] }
func (g *greedySearch) answer() []int32 { return g.ids }

// beams returns the answer without its probability.
func (g *greedySearch) beams() []BeamAnswer {
	return []BeamAnswer{{IDs: slices.Clone(g.ids), Ended: containsToken(g.ids[len(g.ids)-1], g.endTokens)}}
}

// singleParent contains the parents of a single branch. It is never written to.
var singleParent = [1]int{0}
