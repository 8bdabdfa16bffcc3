package generate

import "context"

// prompter runs prompts. All of it but its channels belongs to one goroutine.
type prompter struct {
	*Generator
	runner runner
	done   chan prepared
	spare  chan memory // that no prepared batch uses
}

// prepared are prompts that have run: sequence i, if it goes on, continues row i of the state, which goes back
// to spare.
type prepared struct {
	batch []*sequence // nil where the answer is complete already
	state memory
}

func newPrompter(g *Generator) *prompter {
	p := &prompter{
		Generator: g, runner: g.model.newRunner(), done: make(chan prepared, 1), spare: make(chan memory, g.promptCaches()),
	}
	for range g.promptCaches() {
		p.spare <- g.model.newMemory()
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
		case m := <-p.spare:
			if !p.hand(p.prepare(batch, m)) {
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
func (p *prompter) prepare(batch []*sequence, m memory) prepared {
	shareSteps(p.options.Beams, batch)
	logits, err := p.runner.prompts(context.Background(), m, batch)
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
	return prepared{batch, m}
}
