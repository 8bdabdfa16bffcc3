// Package porter strips suffixes from English words with Porter's algorithm (M. F. Porter, "An algorithm for suffix
// stripping", Program 14, 1980). It includes NLTK's default deviations, which ROUGE requires: a table of irregular
// words, unchanged words of one and two letters, and changed rules in steps 1a, 1b, 1c and 2.
//
// In scope: one lower-case word of ASCII letters and digits. Out of scope: finding words in a text.
package porter

// Stem returns the stem of word, which must be in lower case. Bytes that are not letters count as consonants.
func Stem(word string) string {
	if stem, ok := irregular[word]; ok {
		return stem
	}
	if len(word) <= 2 {
		return word
	}
	return string(stripSuffixes(append(make([]byte, 0, 48), word...)))
}

// irregular maps words to the stems that the rules would not find.
var irregular = map[string]string{
	"sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
	"innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
	"cannings": "canning", "canning": "canning",
	"news": "news", "howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

func stripSuffixes(w []byte) []byte {
	w = step1a(w)
	w = step1b(w)
	w = step1c(w)
	w = step2(w)
	w = applyRules(w, rules3[w[len(w)-1]&31])
	w = step4(w)
	return step5(w)
}

// step1a removes plural suffixes. Words of four letters keep the "e" of "ies": "ties" becomes "tie", not "ti".
func step1a(w []byte) []byte {
	switch {
	case hasSuffix(w, "sses"):
		return w[:len(w)-2]
	case hasSuffix(w, "ies"):
		return trimIes(w)
	case hasSuffix(w, "ss") || !hasSuffix(w, "s"):
		return w
	}
	return w[:len(w)-1]
}

// trimIes removes the last letter of "ies" and "ied", and also the "e" before it if the word has more than four
// letters.
func trimIes(w []byte) []byte {
	if len(w) == 4 {
		return w[:3]
	}
	return w[:len(w)-2]
}

// step1b removes the suffixes "ed" and "ing".
func step1b(w []byte) []byte {
	switch {
	case hasSuffix(w, "ied"):
		return trimIes(w)
	case hasSuffix(w, "eed"):
		if measureOf(w[:len(w)-3]) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	for _, suffix := range [...]string{"ed", "ing"} {
		if stem := w[:max(0, len(w)-len(suffix))]; hasSuffix(w, suffix) && hasVowel(stem) {
			return restoreEnding(stem)
		}
	}
	return w
}

// restoreEnding restores the base form of a word after the removal of "ed" or "ing": "hopp" becomes "hop", "fil"
// becomes "file".
func restoreEnding(w []byte) []byte {
	last := w[len(w)-1]
	switch {
	case hasSuffix(w, "at"), hasSuffix(w, "bl"), hasSuffix(w, "iz"):
		return append(w, 'e')
	case endsDouble(w):
		if last == 'l' || last == 's' || last == 'z' {
			return w
		}
		return w[:len(w)-1]
	case measureOf(w) == 1 && endsCVC(w):
		return append(w, 'e')
	}
	return w
}

// step1c replaces a final "y" by "i" after a consonant that is not the word's first letter.
func step1c(w []byte) []byte {
	if n := len(w) - 1; n > 1 && w[n] == 'y' && isConsonant(w, n-1) {
		w[n] = 'i'
	}
	return w
}

// step2 shortens double suffixes. It replaces "alli" by "al" and processes the result again. It replaces "logi" by
// "log" if a vowel followed by a consonant precedes the "gi".
func step2(w []byte) []byte {
	for hasSuffix(w, "alli") && measureOf(w[:len(w)-4]) > 0 {
		w = w[:len(w)-2]
	}
	if hasSuffix(w, "logi") {
		if measureOf(w[:len(w)-3]) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	return applyRules(w, rules2[w[len(w)-1]&31])
}

// step4 removes suffixes of longer stems.
func step4(w []byte) []byte {
	if hasSuffix(w, "ion") {
		stem := w[:len(w)-3]
		if n := len(stem); measureOf(stem) > 1 && (stem[n-1] == 's' || stem[n-1] == 't') {
			return stem
		}
		return w
	}
	for _, suffix := range suffixes4[w[len(w)-1]&31] {
		if !hasSuffix(w, suffix) {
			continue
		}
		if stem := w[:len(w)-len(suffix)]; measureOf(stem) > 1 {
			return stem
		}
		return w
	}
	return w
}

// step5 removes a final "e" and one of two final "l".
func step5(w []byte) []byte {
	if hasSuffix(w, "e") {
		stem := w[:len(w)-1]
		if m := measureOf(stem); m > 1 || m == 1 && !endsCVC(stem) {
			w = stem
		}
	}
	if hasSuffix(w, "ll") && measureOf(w[:len(w)-1]) > 1 {
		w = w[:len(w)-1]
	}
	return w
}
