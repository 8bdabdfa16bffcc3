package wer

import "strings"

// maxJoined is the maximum number of words that may equal one joined word.
const maxJoined = 3

// joinedDistance returns the edit distance of two lists after joining words that are separate in one list and joined in
// the other. It compares the lists from the left, position by position, and does not consider insertions. After an
// insertion, words at different positions are therefore not joined.
func joinedDistance(reference, hypothesis []string) int {
	var a, b []string
	for len(reference) > 0 && len(hypothesis) > 0 {
		i, j := joinedWords(reference, hypothesis)
		a, b = append(a, strings.Join(reference[:i], "")), append(b, strings.Join(hypothesis[:j], ""))
		reference, hypothesis = reference[i:], hypothesis[j:]
	}
	return editDistance(append(a, reference...), append(b, hypothesis...))
}

// joinedWords returns how many words at the beginning of each list form the same joined word, or 1 and 1 if there is
// none.
func joinedWords(reference, hypothesis []string) (int, int) {
	for k := 1; k <= maxJoined; k++ {
		if k <= len(reference) && strings.Join(reference[:k], "") == hypothesis[0] {
			return k, 1
		}
		if k <= len(hypothesis) && strings.Join(hypothesis[:k], "") == reference[0] {
			return 1, k
		}
	}
	return 1, 1
}
