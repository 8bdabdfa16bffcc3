package generate

import "slices"

// takeWaiting ends the waiting sequences whose calls were cancelled, and returns the sequences whose prompts run now.
func (g *Generator) takeWaiting() []*sequence {
	for _, s := range g.removeCancelled() {
		g.endSequence(s)
	}
	return g.admitSequences()
}

// removeCancelled removes the waiting sequences whose contexts have ended, and returns them.
func (g *Generator) removeCancelled() (gone []*sequence) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(s *sequence) bool {
		over := s.isFinished()
		if over {
			gone = append(gone, s)
		}
		return over
	})
	return gone
}

// admitSequences removes and returns waiting sequences in the order of their arrival, until there is no room for the
// next one.
func (g *Generator) admitSequences() []*sequence {
	g.mu.Lock()
	defer g.mu.Unlock()
	var batch []*sequence
	rows, widest := 0, 0
	var longest memorySize
	for _, s := range g.active {
		rows += branchCount(&s.prompt)
		longest = longest.elementwiseMax(s.size)
	}
	for len(g.waiting) > 0 && g.canJoin(g.waiting[0], len(batch)) {
		s := g.waiting[0]
		rows += branchCount(&s.prompt)
		widest = max(widest, s.size.prompt)
		tooMany := rows > g.options.MaxSequences || len(batch) > 0 && (len(batch)+1)*widest > g.options.PromptTokens
		if tooMany || g.maxMemory(rows, longest.elementwiseMax(s.size)) > g.options.CacheBytes {
			break
		}
		longest = longest.elementwiseMax(s.size)
		batch = append(batch, s)
		g.active = append(g.active, s)
		g.waiting = g.waiting[1:]
	}
	g.model.levelSizes(batch, longest)
	return batch
}

// canJoin reports whether a sequence's state can be stored together with those of the active ones. fresh is the number
// of active sequences that are new.
func (g *Generator) canJoin(s *sequence, fresh int) bool {
	if len(g.active) == 0 {
		g.stepped = false
		return true
	}
	return g.model.canJoin(s.size, g.active[0].size, g.stepped, fresh == len(g.active))
}

// endSequence releases a sequence and ends its call.
func (g *Generator) endSequence(s *sequence) {
	g.mu.Lock()
	g.active = slices.DeleteFunc(g.active, func(a *sequence) bool { return a == s })
	if s.err == nil {
		g.stats.Sequences++
		g.stats.Tokens += len(s.search.answer())
	}
	g.mu.Unlock()
	close(s.finished)
	g.wakeLoop()
}

// updateStats changes the figures while it holds the lock.
func (g *Generator) updateStats(change func(*GeneratorStats)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.stats)
}

// notePeakMemory updates the peak memory of sequence states.
func (g *Generator) notePeakMemory(m rowMemory) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stats.CacheBytes += m.takeGrowth()
}

// promptCaches returns the number of caches for batches of prompts. If prompts run at the same time as steps, there are
// two, because one batch runs while another joins.
func (g *Generator) promptCaches() int {
	if g.overlapPrompts {
		return 2
	}
	return 1
}

// maxMemory returns the maximum size, in bytes, of the state of rows whose longest has this size. It includes the
// memory that steps read and write, and the memory of prompts.
func (g *Generator) maxMemory(rows int, longest memorySize) int64 {
	return int64(2+g.promptCaches()) * int64(rows) * g.model.rowBytes(longest)
}
