package wer

import "strings"

// maxJoined is how many words may stand for one.
const maxJoined = 3

// joinedDistance is the distance of two lists after words written apart in one of them and together in the other are
// taken as one. They are found on one way from the left, word beside word, that knows no additions: behind one, equal
// words may stand at different places and are not joined.
func joinedDistance(reference, hypothesis []string) int {
	var a, b []string
	for len(reference) > 0 && len(hypothesis) > 0 {
		i, j := joinedWords(reference, hypothesis)
		a, b = append(a, strings.Join(reference[:i], "")), append(b, strings.Join(hypothesis[:j], ""))
		reference, hypothesis = reference[i:], hypothesis[j:]
	}
	return editDistance(append(a, reference...), append(b, hypothesis...))
}

// joinedWords is how many words from each list's beginning make one: 1 and 1 where none do.
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
