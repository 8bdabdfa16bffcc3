package extract

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// none is no character: what stands before and behind a text.
const none = rune(-1)

// foldLetter returns the letter of ASCII in lower case that a character is taken for where case is ignored, or the
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

// isLetter is [a-zA-Z] where case is ignored.
func isLetter(r rune) bool {
	r = foldLetter(r)
	return 'a' <= r && r <= 'z'
}

// isOption says whether a character is one of the letters a to last, a capital, where case is ignored.
func isOption(r rune, last byte) bool {
	r = foldLetter(r)
	return 'a' <= r && r <= rune(last)+('a'-'A')
}

// runeAt is the character at t[i:] and where the next one begins.
func runeAt(t string, i int) (r rune, next int) {
	if i >= len(t) {
		return none, i
	}
	if c := t[i]; c < utf8.RuneSelf {
		return rune(c), i + 1
	}
	r, n := utf8.DecodeRuneInString(t[i:])
	return r, i + n
}

// runeBefore is the last character of t[:i] and where it begins.
func runeBefore(t string, i int) (r rune, start int) {
	if i <= 0 {
		return none, 0
	}
	if c := t[i-1]; c < utf8.RuneSelf {
		return rune(c), i - 1
	}
	r, n := utf8.DecodeLastRuneInString(t[:i])
	return r, i - n
}

// isBoundary is \b: a word begins or ends at i.
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
	return r != none && pystr.IsWord(r)
}

// isWordByte is isWord of ASCII.
func isWordByte(c byte) bool { return c|caseBit-'a' < 26 || c-'0' < 10 || c == '_' }

// skipSpaces returns where the white space that begins at i ends.
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

// matchWord returns where a word of small letters ends that t has at i, ignoring case.
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

// nextAnswer is the next "answer" from i on, ignoring case; start is -1 where there is none.
func nextAnswer(t string, i int) (start, end int) {
	for w := nextByte(t, i, rare, caseBit); w >= 0; w = nextByte(t, w+1, rare, caseBit) {
		if start, end = answerAround(t, w); start >= i {
			return start, end
		}
	}
	return -1, 0
}

// lastAnswer is the last "answer" that begins before i, ignoring case; start is -1 where there is none.
func lastAnswer(t string, i int) (start, end int) {
	const maxWord = len("an\u017fw") // to behind the rare letter
	for w := lastByte(t, min(i+maxWord-1, len(t)), rare, caseBit); w >= 0; w = lastByte(t, w, rare, caseBit) {
		if start, end = answerAround(t, w); start >= 0 && start < i {
			return start, end
		}
	}
	return -1, 0
}

// rare is the letter of "answer" that is looked for: no other of its letters is as rare, and case alone changes it.
const rare = 'w'

// answerAround is the "answer" whose w is at i; start is -1 where there is none. The letter before it is an s, or a
// long one, which has two bytes.
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

// caseBit is what tells a small letter of ASCII from its capital.
const caseBit = 'a' - 'A'

// The bits of eight bytes at once.
const (
	eachByte = 0x0101010101010101
	lowBits  = 0x7f * eachByte
)

// matchBytes returns the highest bit of each byte that is c, of eight bytes that are read with the bits of mask set.
func matchBytes(eight uint64, c, mask byte) uint64 {
	v := (eight | uint64(mask)*eachByte) ^ uint64(c)*eachByte
	return ^((v&lowBits + lowBits) | v | lowBits)
}

func loadEight(t string, i int) uint64 {
	t = t[i : i+8]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

// nextByte is where the first byte from i on is that, with the bits of mask set, is c; -1 where there is none.
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

// lastByte is where the last byte before i is that, with the bits of mask set, is c; -1 where there is none.
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

// stretch is how many bytes are looked at in one step where what is looked for is rare. strings.IndexByte, which reads
// forwards alone, passes over them many times as quickly as lastByte.
const stretch = 1 << 10

// lastColon is where the last : before i is; -1 where there is none.
func lastColon(t string, i int) int {
	for from := 0; i > 0; i = from {
		from = max(0, i-stretch)
		if first := strings.IndexByte(t[from:i], ':'); first >= 0 {
			return lastByte(t, i, ':', 0)
		}
	}
	return -1
}

// lastBox is where the last \boxed{ is that begins before i; -1 where there is none.
func lastBox(t string, i int) int {
	for i > 0 {
		from := max(0, i-stretch)
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

// boxMark begins a box.
const boxMark = `\boxed{`

// unescapeText turns what a printed Python string has for a newline and a quote into these.
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
