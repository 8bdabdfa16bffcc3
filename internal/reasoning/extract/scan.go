package extract

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// noRune stands for the missing character before and after a text.
const noRune = rune(-1)

// foldLetter returns the ASCII letter, in lower case, that equals a character if case is ignored, or else the
// character.
func foldLetter(r rune) rune {
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

// isLetter reports whether [a-zA-Z] matches the character if case is ignored.
func isLetter(r rune) bool {
	r = foldLetter(r)
	return 'a' <= r && r <= 'z'
}

// isOption reports whether a character is one of the letters a to last (a capital) if case is ignored.
func isOption(r rune, last byte) bool {
	r = foldLetter(r)
	return 'a' <= r && r <= rune(last)+('a'-'A')
}

// runeAt returns the character at t[i:] and the index of the next one.
func runeAt(t string, i int) (r rune, next int) {
	if i >= len(t) {
		return noRune, i
	}
	if c := t[i]; c < utf8.RuneSelf {
		return rune(c), i + 1
	}
	r, n := utf8.DecodeRuneInString(t[i:])
	return r, i + n
}

// runeBefore returns the last character of t[:i] and its index.
func runeBefore(t string, i int) (r rune, start int) {
	if i <= 0 {
		return noRune, 0
	}
	if c := t[i-1]; c < utf8.RuneSelf {
		return rune(c), i - 1
	}
	r, n := utf8.DecodeLastRuneInString(t[:i])
	return r, i - n
}

// isBoundary implements \b: it reports whether a word begins or ends at i.
func isBoundary(t string, i int) bool {
	if 0 < i && i < len(t) && (t[i-1]|t[i]) < utf8.RuneSelf {
		return isWordByte(t[i-1]) != isWordByte(t[i])
	}
	left, _ := runeBefore(t, i)
	right, _ := runeAt(t, i)
	return isWord(left) != isWord(right)
}

func isWord(r rune) bool {
	if 0 <= r && r < utf8.RuneSelf {
		return isWordByte(byte(r))
	}
	return r != noRune && pystr.IsWord(r)
}

// isWordByte is isWord for ASCII.
func isWordByte(c byte) bool { return c|caseBit-'a' < 26 || c-'0' < 10 || c == '_' }

// skipSpaces returns the end of the white space that begins at i.
func skipSpaces(t string, i int) int {
	for i < len(t) {
		if c := t[i]; '!' <= c && c <= '~' {
			break
		}
		r, next := runeAt(t, i)
		if !pystr.IsSpace(r) {
			break
		}
		i = next
	}
	return i
}

// matchWord returns the end of the word w in lower case at i, ignoring case.
func matchWord(t string, i int, w string) (end int, ok bool) {
	for k := range len(w) {
		switch {
		case i >= len(t):
			return 0, false
		case t[i]|caseBit == w[k]:
			i++
		default:
			r, next := runeAt(t, i)
			if foldLetter(r) != rune(w[k]) {
				return 0, false
			}
			i = next
		}
	}
	return i, true
}

const answer = "answer"

// nextAnswer returns the position of the next "answer" from i on, ignoring case. start is -1 if there is none.
func nextAnswer(t string, i int) (start, end int) {
	for w := nextByte(t, i, rare, caseBit); w >= 0; w = nextByte(t, w+1, rare, caseBit) {
		if start, end = answerAround(t, w); start >= i {
			return start, end
		}
	}
	return -1, 0
}

// lastAnswer returns the position of the last "answer" that begins before i, ignoring case. start is -1 if there is
// none.
func lastAnswer(t string, i int) (start, end int) {
	const maxWord = len("an\u017fw") // up to and including the rare letter
	for w := lastByte(t, min(i+maxWord-1, len(t)), rare, caseBit); w >= 0; w = lastByte(t, w, rare, caseBit) {
		if start, end = answerAround(t, w); start >= 0 && start < i {
			return start, end
		}
	}
	return -1, 0
}

// rare is the letter of "answer" for which the scan searches. It is the rarest, and no other character folds to it.
const rare = 'w'

// answerAround returns the position of the "answer" whose w is at i. start is -1 if there is none. The letter before
// the w is an s, or a long s of two bytes.
func answerAround(t string, i int) (start, end int) {
	start = i - len("ans")
	if i > 0 && t[i-1] == "\u017f"[1] {
		start--
	} else if i == 0 || t[i-1]|caseBit != 's' {
		return -1, 0
	}
	if start < 0 {
		return -1, 0
	}
	if end, ok := matchWord(t, start, answer); ok {
		return start, end
	}
	return -1, 0
}

// caseBit is the bit that distinguishes a small ASCII letter from its capital.
const caseBit = 'a' - 'A'

// Masks for eight bytes at once.
const (
	eachByte = 0x0101010101010101
	lowBits  = 0x7f * eachByte
)

// matchBytes sets the highest bit of each byte that equals c after the bits of mask are set.
func matchBytes(eight uint64, c, mask byte) uint64 {
	v := (eight | uint64(mask)*eachByte) ^ uint64(c)*eachByte
	return ^((v&lowBits + lowBits) | v | lowBits)
}

func loadEight(t string, i int) uint64 {
	t = t[i : i+8]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

// nextByte returns the index of the first byte from i on that equals c after the bits of mask are set, or -1.
func nextByte(t string, i int, c, mask byte) int {
	for ; i+8 <= len(t); i += 8 {
		if m := matchBytes(loadEight(t, i), c, mask); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(t); i++ {
		if t[i]|mask == c {
			return i
		}
	}
	return -1
}

// lastByte returns the index of the last byte before i that equals c after the bits of mask are set, or -1.
func lastByte(t string, i int, c, mask byte) int {
	for ; i >= 8; i -= 8 {
		if m := matchBytes(loadEight(t, i-8), c, mask); m != 0 {
			return i - 1 - bits.LeadingZeros64(m)/8
		}
	}
	for i--; i >= 0; i-- {
		if t[i]|mask == c {
			return i
		}
	}
	return -1
}

// maxStep is the number of bytes that are searched in one step if matches are rare. strings.IndexByte is many times
// faster than lastByte, but only searches forwards.
const maxStep = 1 << 10

// lastColon returns the index of the last : before i, or -1.
func lastColon(t string, i int) int {
	for from := 0; i > 0; i = from {
		from = max(0, i-maxStep)
		if first := strings.IndexByte(t[from:i], ':'); first >= 0 {
			return lastByte(t, i, ':', 0)
		}
	}
	return -1
}

// lastBox returns the index of the last \boxed{ that begins before i, or -1.
func lastBox(t string, i int) int {
	for i > 0 {
		from := max(0, i-maxStep)
		if strings.IndexByte(t[from:i], '\\') < 0 {
			i = from
			continue
		}
		for ; i-8 >= from; i -= 8 {
			for m := matchBytes(loadEight(t, i-8), '\\', 0); m != 0; {
				bit := bits.Len64(m) - 1
				if k := i - 8 + bit/8; strings.HasPrefix(t[k:], boxMark) {
					return k
				}
				m &^= 1 << bit
			}
		}
		for ; i > from; i-- {
			if strings.HasPrefix(t[i-1:], boxMark) {
				return i - 1
			}
		}
	}
	return -1
}

// boxMark is the start of a box.
const boxMark = `\boxed{`

// unescapeText replaces the escapes of newlines and quotes in a printed Python string.
func unescapeText(t string) string {
	var b strings.Builder
	kept := 0
	for i := strings.IndexByte(t, '\\'); i >= 0; {
		next := i + 1
		if next < len(t) && (t[next] == 'n' || t[next] == '\'') {
			b.WriteString(t[kept:i])
			if t[next] == 'n' {
				b.WriteByte('\n')
			} else {
				b.WriteByte('\'')
			}
			next++
			kept = next
		}
		n := strings.IndexByte(t[next:], '\\')
		if n < 0 {
			break
		}
		i = next + n
	}
	if kept == 0 {
		return t
	}
	b.WriteString(t[kept:])
	return b.String()
}
