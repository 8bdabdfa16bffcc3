package generate

import "slices"

// takeWaiting lets the waiting sequences go whose calls were given up, and returns those whose prompts run now.
func (g *Generator) takeWaiting() []*sequence {
	for _, s := range g.givenUp() {
		g.endSequence(s)
	}
	return g.admitSequences()
}

// givenUp removes from the waiting sequences those whose contexts have ended.
func (g *Generator) givenUp() (gone []*sequence) {
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

// admitSequences removes from the waiting sequences those that there is room for, in the order in which they came,
// until there is none for the next one.
func (g *Generator) admitSequences() []*sequence {
	g.mu.Lock()
	defer g.mu.Unlock()
	var batch []*sequence
	rows, widest := 0, 0
	var longest memorySize
	for _, s := range g.active {
		rows += branchCount(&s.prompt)
		longest = longest.largerOf(s.size)
	}
	for len(g.waiting) > 0 && g.canJoin(g.waiting[0], len(batch)) {
		s := g.waiting[0]
		rows += branchCount(&s.prompt)
		widest = max(widest, s.size.prompt)
		tooMany := rows > g.options.MaxSequences || len(batch) > 0 && (len(batch)+1)*widest > g.options.PromptTokens
		if tooMany || g.maxMemory(rows, longest.largerOf(s.size)) > g.options.CacheBytes {
			break
		}
		longest = longest.largerOf(s.size)
		batch = append(batch, s)
		g.active = append(g.active, s)
		g.waiting = g.waiting[1:]
	}
	g.model.level(batch, longest)
	return batch
}

// canJoin says that a sequence's state may lie next to those of the active ones, of which the last fresh come with it.
func (g *Generator) canJoin(s *sequence, fresh int) bool {
	if len(g.active) == 0 {
		g.stepped = false
		return true
	}
	return g.model.joins(s.size, g.active[0].size, g.stepped, fresh == len(g.active))
}

// endSequence lets a sequence go, and ends its call.
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

// updateStats changes the figures.
func (g *Generator) updateStats(change func(*GeneratorStats)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.stats)
}

// notePeakMemory takes note of how much memory the state of sequences has come to hold.
func (g *Generator) notePeakMemory(m rowMemory) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stats.CacheBytes += m.grown()
}

// promptCaches is how many batches of prompts have a cache: where they run at the same time as steps, one runs while
// another joins.
func (g *Generator) promptCaches() int {
	if g.overlapPrompts {
		return 2
	}
	return 1
}

// maxMemory is the most bytes that the state of rows can take whose longest is of this size: what steps read and what
// they write, and the prompts' own.
func (g *Generator) maxMemory(rows int, longest memorySize) int64 {
	return int64(2+g.promptCaches()) * int64(rows) * g.model.rowBytes(longest)
}
