// Package porter strips suffixes from English words with Porter's algorithm (M. F. Porter, "An algorithm for suffix
// stripping", Program 14, 1980), with NLTK's default deviations, which ROUGE requires: a table of irregular words,
// unchanged words of one and two letters, and changed rules in steps 1a, 1b, 1c and 2.
//
// In scope: one lower-case word of ASCII letters and digits. Out of scope: finding words in a text.
package porter

// Stem returns the stem of word, which is lower case. A byte that is no letter counts as a consonant.
func Stem(word string) string {
	if stem, ok := irregular[word]; ok {
		return stem
	}
	if len(word) <= 2 {
		return word
	}
	return string(stripSuffixes(append(make([]byte, 0, 48), word...)))
}

// irregular has the stems that the rules get wrong, by word.
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

// step1a removes plurals. Words of four letters keep the "e" of "ies": "ties" gives "tie", not "ti".
func step1a(w []byte) []byte {
	switch {
	case hasSuffix(w, "sses"):
		return w[:len(w)-2]
	case hasSuffix(w, "ies"):
		return cutIe(w)
	case hasSuffix(w, "ss") || !hasSuffix(w, "s"):
		return w
	}
	return w[:len(w)-1]
}

// cutIe cuts the last letter of "ies" and "ied", and the "e" before it but in words of four letters.
func cutIe(w []byte) []byte {
	if len(w) == 4 {
		return w[:3]
	}
	return w[:len(w)-2]
}

// step1b removes "ed" and "ing".
func step1b(w []byte) []byte {
	switch {
	case hasSuffix(w, "ied"):
		return cutIe(w)
	case hasSuffix(w, "eed"):
		if measureOf(w[:len(w)-3]) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	for _, suffix := range [...]string{"ed", "ing"} {
		if stem := w[:max(0, len(w)-len(suffix))]; hasSuffix(w, suffix) && hasVowel(stem) {
			return mendEnding(stem)
		}
	}
	return w
}

// mendEnding restores to a word that has lost "ed" or "ing" the ending it would have had without: "hopp" gives "hop",
// "fil" "file".
func mendEnding(w []byte) []byte {
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

// step1c turns "y" into "i" after a consonant that is not the word's first letter.
func step1c(w []byte) []byte {
	if n := len(w) - 1; n > 1 && w[n] == 'y' && isConsonant(w, n-1) {
		w[n] = 'i'
	}
	return w
}

// step2 shortens double suffixes. "alli" gives "al" and is looked at again, and "logi" gives "log" if a "vowel and
// consonant" comes before its "gi".
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

// step4 removes suffixes after a longer stem.
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

// step5 removes a last "e" and one of two last "l".
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
