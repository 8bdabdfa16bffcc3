package generate

import "context"

// prompter runs prompts. All of it but its channels belongs to one goroutine.
type prompter struct {
	*Generator
	runner *runner
	done   chan prepared
	spare  chan *cache // that no prepared batch uses
}

// prepared are prompts that have run: sequence i, if it goes on, continues row i of the cache. The cache goes back to
// spare.
type prepared struct {
	batch []*sequence // nil where the answer is complete already
	cache *cache
}

func newPrompter(g *Generator) *prompter {
	p := &prompter{Generator: g, runner: newRunner(&g.model, g.session), done: make(chan prepared, 1), spare: make(chan *cache, g.promptCaches())}
	for range g.promptCaches() {
		p.spare <- newCache(&g.model)
	}
	return p
}

// run prepares prompts as they come, until the generator closes.
func (p *prompter) run() {
	for {
		batch := p.take()
		if len(batch) == 0 {
			select {
			case <-p.closing:
				return
			case <-p.wake:
				continue
			}
		}
		select {
		case <-p.closing:
			return
		case c := <-p.spare:
			if !p.hand(p.prepare(batch, c)) {
				return
			}
		}
	}
}

func (p *prompter) hand(r prepared) bool {
	select {
	case <-p.closing:
		return false
	case p.done <- r:
		return true
	}
}

// prepare runs prompts, and ends the sequences that have their answer.
func (p *prompter) prepare(batch []*sequence, c *cache) prepared {
	prompts := make([][]int32, len(batch))
	for i, s := range batch {
		prompts[i] = s.prompt.Tokens
	}
	logits, err := p.runner.prompts(context.Background(), c, prompts, batch[0].prompt.PadToken)
	for i, s := range batch {
		if s.err = err; err == nil {
			s.advance(logits[i : i+1])
		}
		if s.over() {
			p.end(s)
			batch[i] = nil
		}
	}
	p.count(func(st *Stats) { st.Prompts++ })
	return prepared{batch, c}
}
