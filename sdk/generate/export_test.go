package generate

// Waiting is how many calls wait for their prompt to run.
func (g *Generator) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}
