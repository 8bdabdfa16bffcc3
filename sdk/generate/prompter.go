package generate

import "context"

// promptRunner runs prompts. All of it but its channels belongs to one goroutine.
type promptRunner struct {
	*Generator
	runner modelRunner
	done   chan preparedPrompts
	spare  chan rowMemory // that no prepared batch uses
}

// preparedPrompts are prompts that have run: sequence i, if it goes on, continues row i of the state, which goes back
// to spare.
type preparedPrompts struct {
	batch []*sequence // nil where the answer is complete already
	state rowMemory
}

func newPrompter(g *Generator) *promptRunner {
	p := &promptRunner{
		Generator: g, runner: g.model.newRunner(), done: make(chan preparedPrompts, 1), spare: make(chan rowMemory,
			g.promptCaches()),
	}
	for range g.promptCaches() {
		p.spare <- g.model.newMemory()
	}
	return p
}

// runPrompts prepares prompts as they come, until the generator closes.
func (p *promptRunner) runPrompts() {
	for {
		batch := p.takeWaiting()
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
			if !p.sendPrepared(p.preparePrompts(batch, m)) {
				return
			}
		}
	}
}

func (p *promptRunner) sendPrepared(r preparedPrompts) bool {
	select {
	case <-p.closing:
		return false
	case p.done <- r:
		return true
	}
}

// preparePrompts runs prompts, and ends the sequences that have their answer.
func (p *promptRunner) preparePrompts(batch []*sequence, m rowMemory) preparedPrompts {
	shareSteps(p.options.Beams, batch)
	logits, err := p.runner.prompts(context.Background(), m, batch)
	for i, s := range batch {
		if s.err = err; err == nil {
			s.advanceSearch(logits[i : i+1])
		}
		if s.isFinished() {
			p.endSequence(s)
			batch[i] = nil
		}
	}
	p.updateStats(func(st *GeneratorStats) { st.Prompts++ })
	return preparedPrompts{batch, m}
}
