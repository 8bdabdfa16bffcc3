package generate

import "context"

// promptRunner runs prompts. Except for its channels, only one goroutine uses it.
type promptRunner struct {
	*Generator
	runner      modelRunner
	prepared    chan preparedPrompts
	spareMemory chan rowMemory // memory that no prepared batch uses
}

// preparedPrompts contains prompts that have run. If sequence i continues, it uses row i of the state. The state is
// returned to spare.
type preparedPrompts struct {
	batch []*sequence // an element is nil if its answer is already complete
	state rowMemory
}

func newPrompter(g *Generator) *promptRunner {
	p := &promptRunner{
		Generator: g, runner: g.model.newRunner(), prepared: make(chan preparedPrompts, 1), spareMemory: make(chan rowMemory,
			g.promptCaches()),
	}
	for range g.promptCaches() {
		p.spareMemory <- g.model.newMemory()
	}
	return p
}

// runPrompts prepares prompts as they arrive, until the generator closes.
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
		case m := <-p.spareMemory:
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
	case p.prepared <- r:
		return true
	}
}

// preparePrompts runs prompts and ends the sequences whose answers are complete.
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
