//go:build !unix

package openai

// alive cannot be told here without waiting: longestUnused is what keeps requests off closed connections.
func (c *line) alive() bool { return true }
