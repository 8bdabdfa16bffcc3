package openaitest

import "sync"

// cache contains the beginnings of earlier prompts.
type cache struct {
	mu   sync.Mutex
	seen map[uint64]struct{} // hash of each beginning

	queries, hits int64 // tokens of all prompts, and tokens found in the cache
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = map[uint64]struct{}{}
}

// lookUp returns the number of tokens that a prompt shares with an earlier one, without the prompt's last token, and
// adds the prompt to the cache.
func (c *cache) lookUp(prompt []uint64) (cached int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := uint64(14695981039346656037)
	known := true
	for i, token := range prompt {
		h = (h ^ token) * 1099511628211
		h ^= h >> 29
		if _, ok := c.seen[h]; !ok {
			known = false
			c.seen[h] = struct{}{}
		}
		if known && i < len(prompt)-1 {
			cached++
		}
	}
	c.queries += int64(len(prompt))
	c.hits += int64(cached)
	return cached
}

func (c *cache) counts() (queries, hits int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queries, c.hits
}
