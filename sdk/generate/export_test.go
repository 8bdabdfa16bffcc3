package generate

// Waiting says whether a call waits for its prompt to run.
func (g *Generator) Waiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting) > 0
}
