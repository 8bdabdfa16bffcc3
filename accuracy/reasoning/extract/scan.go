package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/preprocess/text/pystr"
)

// none is no character: what stands before and behind a text.
const none = rune(-1)

// fold is the letter of ASCII in lower case that a character is taken for where case is ignored, or the character.
func fold(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + ('a' - 'A')
	case r == '\u0130' || r == '\u0131': // dotted capital and dotless small i
		return 'i'
	case r == '\u017f': // long s
		return 's'
	case r == '\u212a': // Kelvin
		return 'k'
	}
	return r
}

// isLetter is [a-zA-Z] where case is ignored.
func isLetter(r rune) bool {
	r = fold(r)
	return 'a' <= r && r <= 'z'
}

// isOption says whether a character is one of the letters a to last, a capital, where case is ignored.
func isOption(r rune, last byte) bool {
	r = fold(r)
	return 'a' <= r && r <= rune(last)+('a'-'A')
}

// at is the character at t[i:] and where the next one begins.
func at(t string, i int) (r rune, next int) {
	if i >= len(t) {
		return none, i
	}
	if c := t[i]; c < utf8.RuneSelf {
		return rune(c), i + 1
	}
	r, n := utf8.DecodeRuneInString(t[i:])
	return r, i + n
}

// before is the last character of t[:i] and where it begins.
func before(t string, i int) (r rune, start int) {
	if i <= 0 {
		return none, 0
	}
	if c := t[i-1]; c < utf8.RuneSelf {
		return rune(c), i - 1
	}
	r, n := utf8.DecodeLastRuneInString(t[:i])
	return r, i - n
}

// boundary is \b: a word begins or ends at i.
func boundary(t string, i int) bool {
	left, _ := before(t, i)
	right, _ := at(t, i)
	return isWord(left) != isWord(right)
}

func isWord(r rune) bool {
	if 0 <= r && r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return r != none && pystr.IsWord(r)
}

// spaces is where the white space that begins at i ends.
func spaces(t string, i int) int {
	for i < len(t) {
		r, next := at(t, i)
		if !pystr.IsSpace(r) {
			break
		}
		i = next
	}
	return i
}

// word is where a word, in lower case, ends that t has at i, ignoring case.
func word(t string, i int, w string) (end int, ok bool) {
	for k := range len(w) {
		r, next := at(t, i)
		if fold(r) != rune(w[k]) {
			return 0, false
		}
		i = next
	}
	return i, true
}

const answer = "answer"

// nextAnswer is the next "answer" from i on, ignoring case; start is -1 where there is none.
func nextAnswer(t string, i int) (start, end int) {
	for ; i < len(t); i++ {
		if t[i]|0x20 != 'a' {
			continue
		}
		if end, ok := word(t, i, answer); ok {
			return i, end
		}
	}
	return -1, 0
}

// lastAnswer is the last "answer" that begins before i, ignoring case; start is -1 where there is none.
func lastAnswer(t string, i int) (start, end int) {
	// The second letter is looked at first: n is rarer than a.
	for i = min(i, len(t)-len(answer)+1) - 1; i >= 0; i-- {
		if t[i]|0x20 != 'a' || t[i+1]|0x20 != 'n' {
			continue
		}
		if end, ok := word(t, i, answer); ok {
			return i, end
		}
	}
	return -1, 0
}

// boxMark begins a box.
const boxMark = `\boxed{`

// unescape turns what a printed Python string has for a newline and a quote into these.
func unescape(t string) string {
	if strings.IndexByte(t, '\\') < 0 {
		return t
	}
	return strings.ReplaceAll(strings.ReplaceAll(t, `\n`, "\n"), `\'`, "'")
}
