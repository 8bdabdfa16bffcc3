package bleu

// Order is the length of the longest n-grams, in tokens.
const Order = 4

// NgramCounts contains the counts from which BLEU is computed, summed over pairs of a translation and its reference.
// Index n-1 contains the counts of n-grams.
type NgramCounts struct {
	Matches  [Order]int // n-grams of translations that occur in their reference, no more often than there
	Possible [Order]int // all n-grams of translations

	Translation int // length of all translations in tokens
	Reference   int // length of all references in tokens
}

// Ratio returns the length of the translations divided by that of the references; 0 without references.
func (c *NgramCounts) Ratio() float64 {
	if c.Reference == 0 {
		return 0
	}
	return float64(c.Translation) / float64(c.Reference)
}

// ngramCounter counts n-grams. It reuses its memory for each pair.
type ngramCounter struct {
	words      map[string]uint32 // number of each word of all pairs, from 1
	reference  []uint32
	hypothesis []uint32
	tree       ngramTree
}

func newCounter() *ngramCounter { return &ngramCounter{words: map[string]uint32{}} }

// addPair adds the counts of a pair to sum.
func (c *ngramCounter) addPair(sum *NgramCounts, reference, translation []string) {
	c.reference = c.numberWords(c.reference[:0], reference)
	c.hypothesis = c.numberWords(c.hypothesis[:0], translation)
	sum.Reference += len(reference)
	sum.Translation += len(translation)
	for n := range Order {
		sum.Possible[n] += max(len(translation)-n, 0)
	}
	c.tree.reset(len(reference))
	for i := range c.reference {
		at := rootNode
		for _, word := range c.reference[i:min(i+Order, len(c.reference))] {
			at = c.tree.ensureChild(at, word)
			c.tree.remaining[at]++
		}
	}
	for i := range c.hypothesis {
		c.countMatches(sum, c.hypothesis[i:min(i+Order, len(c.hypothesis))])
	}
}

// countMatches counts the matched n-grams that begin at the first word. It stops at the first n-gram that is not in the
// reference, because longer ones cannot match.
func (c *ngramCounter) countMatches(sum *NgramCounts, words []uint32) {
	at := rootNode
	for n, word := range words {
		var ok bool
		if at, ok = c.tree.findChild(at, word); !ok {
			return
		}
		if c.tree.remaining[at] > 0 {
			c.tree.remaining[at]--
			sum.Matches[n]++
		}
	}
}

func (c *ngramCounter) numberWords(dst []uint32, words []string) []uint32 {
	for _, word := range words {
		id, ok := c.words[word]
		if !ok {
			id = uint32(len(c.words) + 1)
			c.words[word] = id
		}
		dst = append(dst, id)
	}
	return dst
}
