package generate

import "slices"

// take lets the waiting sequences go whose calls were given up, and returns those whose prompts run now.
func (g *Generator) take() []*sequence {
	for _, s := range g.givenUp() {
		g.end(s)
	}
	return g.admit()
}

// givenUp removes from the waiting sequences those whose contexts have ended.
func (g *Generator) givenUp() (gone []*sequence) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(s *sequence) bool {
		over := s.over()
		if over {
			gone = append(gone, s)
		}
		return over
	})
	return gone
}

// admit removes from the waiting sequences those that there is room for, in the order in which they came, until there is
// none for the next one.
func (g *Generator) admit() []*sequence {
	g.mu.Lock()
	defer g.mu.Unlock()
	var batch []*sequence
	rows, longest, widest := 0, 0, 0
	for _, s := range g.active {
		rows += branches(&s.prompt)
		longest = max(longest, tokensOf(&s.prompt))
	}
	for len(g.waiting) > 0 {
		s := g.waiting[0]
		rows += branches(&s.prompt)
		longest, widest = max(longest, tokensOf(&s.prompt)), max(widest, len(s.prompt.Tokens))
		tooMany := rows > g.options.MaxSequences || len(batch) > 0 && (len(batch)+1)*widest > g.options.PromptTokens
		if tooMany || g.memory(rows, longest) > g.options.CacheBytes {
			break
		}
		batch = append(batch, s)
		g.active = append(g.active, s)
		g.waiting = g.waiting[1:]
	}
	return batch
}

// end lets a sequence go, and ends its call.
func (g *Generator) end(s *sequence) {
	g.mu.Lock()
	g.active = slices.DeleteFunc(g.active, func(a *sequence) bool { return a == s })
	if s.err == nil {
		g.stats.Sequences++
		g.stats.Tokens += len(s.search.answer())
	}
	g.mu.Unlock()
	close(s.finished)
	g.signal()
}

// count changes the figures.
func (g *Generator) count(change func(*Stats)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.stats)
}

// peak takes note of how much memory a cache has come to hold.
func (g *Generator) peak(c *cache) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stats.CacheBytes += int64(c.peak - c.noted)
	c.noted = c.peak
}

// promptCaches is how many batches of prompts have a cache: where they run beside the steps, one runs while another joins.
func (g *Generator) promptCaches() int {
	if g.beside {
		return 2
	}
	return 1
}

// memory is the most bytes of cache that rows of this length can take: what steps read and what they write, as wide as
// trim lets them grow with their slack, and the prompts' own.
func (g *Generator) memory(rows, tokens int) int64 {
	columns := int64(columns(tokens) + 1 + slackColumns)
	return int64(2+g.promptCaches()) * int64(rows) * columns * int64(g.model.tokenBytes())
}
