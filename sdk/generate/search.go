package generate

import "github.com/plumbline-ml/plumbline/sdk/backend"

// search chooses the tokens of one answer. Its branches are the rows that it needs in the cache.
type search interface {
	// next takes the logits of each branch, which are its to change, and chooses. At first there is one branch, the prompt.
	next(logits [][]float32) error
	// done says that the answer is complete; no branch is needed any more.
	done() bool
	// tokens are the last ones of the branches, and parents the branches of before that they continue. Both are valid
	// until next, and of the same length for all of an answer.
	tokens() []int32
	parents() []int
	// answer is the best so far: generated tokens, and the end token where it was reached.
	answer() []int32
}

func newSearch(p *backend.Prompt) search {
	if p.Beams > 1 {
		return newBeams(p)
	}
	return &greedy{limits: limitsOf(p)}
}

// branches is how many rows a prompt's search needs.
func branches(p *backend.Prompt) int { return max(p.Beams, 1) }

// limits are the lengths of an answer and what ends it.
type limits struct {
	least, most int
	ends        []int32
}

// limitsOf copies a prompt's limits.
func limitsOf(p *backend.Prompt) limits {
	return limits{least: p.MinNewTokens, most: p.MaxNewTokens, ends: append([]int32(nil), p.EOS...)}
}

// banned are the end tokens, for an answer of n tokens that is too short to end.
func (l *limits) banned(n int) []int32 {
	if n < l.least {
		return l.ends
	}
	return nil
}

// greedy takes the most probable token at each step.
type greedy struct {
	limits
	ids   []int32
	ended bool
}

func (g *greedy) next(logits [][]float32) error {
	id, err := argmax(logits[0], g.banned(len(g.ids)))
	if err != nil {
		return err
	}
	g.ids = append(g.ids, id)
	g.ended = len(g.ids) >= g.most || among(id, g.ends)
	return nil
}

func (g *greedy) done() bool      { return g.ended }
func (g *greedy) tokens() []int32 { return g.ids[len(g.ids)-1:] }
func (g *greedy) parents() []int  { return alone[:] }
func (g *greedy) answer() []int32 { return g.ids }

// alone are the parents of a single branch. It is never written to.
var alone = [1]int{0}
