package rouge

import "slices"

// wordCounts contains a count for each word of the vocabulary. Its users must reset all counts to 0.
type wordCounts []int32

func (c *wordCounts) grow(n int) {
	if n > len(*c) {
		*c = append(*c, make([]int32, n-len(*c))...)
	}
}

// countSharedWords returns the number of words that the texts share. A word counts as often as it occurs in both.
func (s *TextScorer) countSharedWords(reference, predicted []int32) int {
	for _, w := range reference {
		s.unused[w]++
	}
	shared := 0
	for _, w := range predicted {
		if s.unused[w] > 0 {
			s.unused[w]--
			shared++
		}
	}
	for _, w := range reference {
		s.unused[w] = 0
	}
	return shared
}

// countSharedPairs returns the number of adjacent word pairs that the texts share. A pair counts as often as it occurs
// in both.
func (s *TextScorer) countSharedPairs(reference, predicted []int32) int {
	s.pairs[0] = sortedPairs(s.pairs[0][:0], reference)
	s.pairs[1] = sortedPairs(s.pairs[1][:0], predicted)
	return countSharedSorted(s.pairs[0], s.pairs[1])
}

func sortedPairs(pairs []uint64, words []int32) []uint64 {
	for i := 1; i < len(words); i++ {
		pairs = append(pairs, uint64(words[i-1])<<32|uint64(words[i]))
	}
	slices.Sort(pairs)
	return pairs
}

func countSharedSorted(a, b []uint64) int {
	shared := 0
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
		if x == y {
			shared++
		}
	}
	return shared
}

// countSharedSentences counts the words of each reference sentence that are in the union of its longest common
// subsequences with all predicted sentences. The occurrences in the prediction limit how often a word counts.
func (s *TextScorer) countSharedSentences() int {
	for _, w := range s.predicted.tokens {
		s.unused[w]++
	}
	shared := 0
	s.reference.eachSentence(func(reference []int32) {
		s.lcs.setReference(reference)
		s.predicted.eachSentence(s.lcs.markCommon)
		shared += s.lcs.claimMarked(s.unused)
	})
	for _, w := range s.predicted.tokens {
		s.unused[w] = 0
	}
	return shared
}
