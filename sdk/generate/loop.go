package generate

import (
	"context"
	"slices"
	"sync"
)

// stepLoop runs steps while there are sequences. Only one goroutine uses it.
//
// If the session allows two concurrent runs, prompts run in another goroutine concurrently with the steps; otherwise
// they run between steps.
type stepLoop struct {
	*Generator
	runner    modelRunner
	state     rowMemory // of the running sequences
	prompter  *promptRunner
	running   []*sequence
	rowOwners []*sequence // for each row of the state

	tokens []int32
	logits [][]float32
}

// runSteps runs steps until the generator closes.
func (l *stepLoop) runSteps() {
	if l.overlapPrompts {
		var prompts sync.WaitGroup
		prompts.Go(l.prompter.runPrompts)
		defer prompts.Wait()
	}
	for l.collectPrepared() {
		l.step()
	}
}

// collectPrepared adds prompts that have run. If nothing runs, it waits for some. It returns false when the generator
// closes.
func (l *stepLoop) collectPrepared() bool {
	select {
	case <-l.closing:
		return false
	default:
	}
	if !l.overlapPrompts {
		return l.runPrompts()
	}
	if len(l.running) == 0 {
		select {
		case <-l.closing:
			return false
		case r := <-l.prompter.prepared:
			l.joinAll(r)
		}
	}
	for {
		select {
		case r := <-l.prompter.prepared:
			l.joinAll(r)
		default:
			return true
		}
	}
}

// runPrompts runs waiting prompts while there is room.
func (l *stepLoop) runPrompts() bool {
	for batch := l.takeWaiting(); len(batch) > 0; batch = l.takeWaiting() {
		l.joinAll(l.prompter.preparePrompts(batch, <-l.prompter.spareMemory))
		if l.model.allowsLateJoin() {
			return true
		}
	}
	if len(l.running) > 0 {
		return true
	}
	select {
	case <-l.closing:
		return false
	case <-l.wake:
		return true
	}
}

// joinAll adds the sequences of a batch to the state.
func (l *stepLoop) joinAll(r preparedPrompts) {
	for i, s := range r.batch {
		if s != nil {
			l.joinSequence(s, r.state, i)
		}
	}
	l.state.finishJoin()
	l.notePeakMemory(r.state)
	l.prompter.spareMemory <- r.state
}

// joinSequence adds a sequence's rows to the state. All are copies of row i of the prompts' memory.
func (l *stepLoop) joinSequence(s *sequence, from rowMemory, i int) {
	for range s.search.tokens() {
		s.rows = append(s.rows, len(l.rowOwners))
		l.rowOwners = append(l.rowOwners, s)
		l.state.addRow(from, i)
	}
	l.running = append(l.running, s)
}

// step runs one token of each branch of each sequence.
func (l *stepLoop) step() {
	if len(l.running) == 0 {
		return
	}
	l.state.fitWidth(l.maxTokens())
	l.tokens = resizeSlice(l.tokens, l.state.rows())
	for _, s := range l.running {
		for branch, id := range s.search.tokens() {
			l.tokens[s.rows[branch]] = id
		}
	}
	logits, err := l.runner.step(context.Background(), l.state, l.tokens)
	for _, s := range l.running {
		if s.err = err; err == nil {
			l.advanceSequence(s, logits)
		}
	}
	l.updateStats(func(st *GeneratorStats) { st.Steps++; st.Rows += len(l.rowOwners); l.stepped = true })
	l.notePeakMemory(l.state)
	l.retireSequences()
}

// maxTokens returns the maximum number of tokens of the running sequences.
func (l *stepLoop) maxTokens() int {
	n := 0
	for _, s := range l.running {
		n = max(n, s.size.tokens)
	}
	return n
}

// advanceSequence lets a sequence choose tokens, and moves its rows to the branches that continue.
func (l *stepLoop) advanceSequence(s *sequence, logits [][]float32) {
	l.logits = l.logits[:0]
	for _, row := range s.rows {
		l.logits = append(l.logits, logits[row])
	}
	s.advanceSearch(l.logits)
	if !s.isFinished() && len(s.rows) > 1 {
		l.state.permute(s.rows, s.search.parents())
	}
}

// retireSequences removes the sequences that are complete or failed.
func (l *stepLoop) retireSequences() {
	l.running = slices.DeleteFunc(l.running, func(s *sequence) bool {
		if !s.isFinished() {
			return false
		}
		l.removeSequence(s)
		return true
	})
}

// removeSequence removes a sequence's rows from the state, fills the gaps with the last rows, and ends its call.
func (l *stepLoop) removeSequence(s *sequence) {
	slices.Sort(s.rows)
	for _, row := range slices.Backward(s.rows) {
		last := len(l.rowOwners) - 1
		l.state.copyRowOver(row, last)
		l.rowOwners[row] = l.rowOwners[last]
		moved := l.rowOwners[row].rows
		if i := slices.Index(moved, last); i >= 0 && l.rowOwners[row] != s {
			moved[i] = row
		}
		l.rowOwners = l.rowOwners[:last]
		l.state.dropRows(last)
	}
	l.endSequence(s)
}
