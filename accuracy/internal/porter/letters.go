package porter

// isConsonant implements the paper's definition: a letter other than a, e, i, o and u, and other than a "y" after a
// consonant.
func isConsonant(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		ys := 0 // consecutive "y" alternate, so the letter before the run decides
		for i > 0 && w[i] == 'y' {
			ys++
			i--
		}
		return isVowelLetter(w[i]) == (ys%2 == 1)
	}
	return true
}

func isVowelLetter(c byte) bool {
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'
}

// measureOf returns the paper's m: the number of times a consonant follows a vowel.
func measureOf(w []byte) int {
	m := 0
	vowel := false
	for i, c := range w {
		next := isVowelLetter(c) || c == 'y' && i > 0 && !vowel
		if vowel && !next {
			m++
		}
		vowel = next
	}
	return m
}

func hasVowel(w []byte) bool {
	for i := range w {
		if !isConsonant(w, i) {
			return true
		}
	}
	return false
}

// endsDouble implements the paper's *d: the word ends in two equal consonants.
func endsDouble(w []byte) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && isConsonant(w, n-1)
}

// endsCVC implements the paper's *o: the word ends in a consonant, a vowel and a consonant other than w, x and y. As in
// NLTK, it also accepts a word that consists of a vowel and a consonant.
func endsCVC(w []byte) bool {
	n := len(w)
	switch {
	case n == 2:
		return !isConsonant(w, 0) && isConsonant(w, 1)
	case n < 2 || w[n-1] == 'w' || w[n-1] == 'x' || w[n-1] == 'y':
		return false
	}
	return isConsonant(w, n-3) && !isConsonant(w, n-2) && isConsonant(w, n-1)
}

func hasSuffix(w []byte, suffix string) bool {
	return len(w) >= len(suffix) && string(w[len(w)-len(suffix):]) == suffix
}
