package subword

import "strings"

// Apply splits the words of a line into pieces, like subword-nmt's apply_bpe. Spaces separate pieces and words in the
// result. It keeps blanks at both ends unchanged. Only spaces separate words.
func (c *Merges) Apply(line string) string {
	words := strings.TrimLeft(line, blanks)
	lead := line[:len(line)-len(words)]
	words = strings.TrimRight(words, blanks)
	return lead + strings.Join(c.Pieces(words), " ") + line[len(lead)+len(words):]
}

// Pieces returns the pieces of a line's words, in order.
func (c *Merges) Pieces(line string) []string {
	var pieces []string
	for word := range strings.SplitSeq(strings.Trim(line, blanks), " ") {
		if word == "" {
			continue
		}
		symbols := c.splitWord(word)
		for _, s := range symbols[:len(symbols)-1] {
			pieces = append(pieces, s+continuationMark)
		}
		pieces = append(pieces, symbols[len(symbols)-1])
	}
	return pieces
}

// splitWord splits a word into symbols and merges pairs until no pair can be merged.
func (c *Merges) splitWord(word string) []string {
	symbols := strings.Split(word, "")
	if len(symbols) == 1 {
		return symbols
	}
	if c.separateEnd {
		symbols = append(symbols, wordEnd)
	} else {
		symbols[len(symbols)-1] += wordEnd
	}
	for len(symbols) > 1 {
		next, ok := c.nextPair(symbols)
		if !ok {
			break
		}
		symbols = next.mergeAll(symbols)
	}
	last := len(symbols) - 1
	if symbols[last] == wordEnd {
		return symbols[:last]
	}
	symbols[last] = strings.TrimSuffix(symbols[last], wordEnd)
	return symbols
}

// nextPair returns the pair with the lowest rank, which is merged next.
func (c *Merges) nextPair(symbols []string) (best symbolPair, ok bool) {
	minRank := len(c.ranks) + 1
	for i, left := range symbols[:len(symbols)-1] {
		p := symbolPair{left, symbols[i+1]}
		if rank, known := c.ranks[p]; known && (!ok || rank < minRank) {
			best, minRank, ok = p, rank, true
		}
	}
	return best, ok
}

// mergeAll merges all occurrences of the pair from left to right, in place.
func (p symbolPair) mergeAll(symbols []string) []string {
	joined := p.left + p.right
	kept := symbols[:0]
	for i := 0; i < len(symbols); i++ {
		if i+1 < len(symbols) && symbols[i] == p.left && symbols[i+1] == p.right {
			kept = append(kept, joined)
			i++
			continue
		}
		kept = append(kept, symbols[i])
	}
	return kept
}
