package porter

// isConsonant is the paper's definition: not a, e, i, o, u, and not a "y" after a consonant.
func isConsonant(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		ys := 0 // a run of "y" takes turns, so the letter before it decides
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

// measureOf returns the paper's m: how often a consonant follows a vowel.
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

// endsDouble is the paper's *d: two equal consonants at the end.
func endsDouble(w []byte) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && isConsonant(w, n-1)
}

// endsCVC is the paper's *o: consonant, vowel, consonant other than w, x and y at the end; or, in NLTK, nothing but
// a vowel and a consonant.
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
