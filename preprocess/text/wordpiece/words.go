package wordpiece

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Words splits text into words and punctuation marks in lower case and without accents, like BasicTokenizer of
// transformers. Each punctuation mark and each Chinese character is a separate word. Control characters are removed.
func Words(text string) []string {
	var words []string
	eachWord(text, func(word []byte) { words = append(words, string(word)) })
	return words
}

// eachWord calls yield with each word of text. The memory of a word is reused for the next one.
func eachWord(text string, yield func(word []byte)) {
	s := wordSplitter{yield: yield, word: make([]byte, 0, 64)}
	if isASCII(text) {
		for i := range len(text) {
			s.addASCII(text[i])
		}
		s.endWord()
		return
	}
	for _, field := range pystr.Fields(norm.NFC.String(cleanText(text))) {
		for _, r := range norm.NFD.String(pystr.Lower(field)) {
			if !unicode.Is(unicode.Mn, r) {
				s.addRune(r)
			}
		}
		s.endWord()
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wordSplitter collects words.
type wordSplitter struct {
	yield func(word []byte)
	word  []byte
}

func (s *wordSplitter) endWord() {
	if len(s.word) > 0 {
		s.yield(s.word)
		s.word = s.word[:0]
	}
}

// addASCII adds a character of a text that contains only ASCII.
func (s *wordSplitter) addASCII(c byte) {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		s.word = append(s.word, c)
	case 'A' <= c && c <= 'Z':
		s.word = append(s.word, c+('a'-'A'))
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.endWord()
	case c > ' ' && c < 0x7f:
		s.addPunctuation(rune(c))
	}
}

func (s *wordSplitter) addRune(r rune) {
	if isPunctuation(r) {
		s.addPunctuation(r)
		return
	}
	s.word = utf8.AppendRune(s.word, r)
}

func (s *wordSplitter) addPunctuation(r rune) {
	s.endWord()
	s.word = utf8.AppendRune(s.word, r)
	s.endWord()
}

// isPunctuation reports whether r is punctuation in Unicode, or an ASCII character that is neither a letter nor a
// digit, such as "$".
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		digit := '0' <= r && r <= '9'
		return r > ' ' && r < 0x7f && !letter && !digit
	}
	return unicode.Is(unicode.P, r)
}

// cleanText removes control characters, replaces white space with blanks, and surrounds Chinese characters with blanks.
func cleanText(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 16)
	for _, r := range text {
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case r == utf8.RuneError || isControl(r):
		case isChinese(r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isControl reports whether r belongs to one of Unicode's categories C: control, format, private use, surrogates, and
// unassigned.
func isControl(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
}

// isChinese reports whether r belongs to the blocks of unified and compatibility ideographs that BERT's tokenizer
// splits. They do not include kana, hangul, and blocks that Unicode has added later.
func isChinese(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, 0x4e00 <= r && r <= 0x9fff, 0xf900 <= r && r <= 0xfaff:
		return true
	}
	return 0x20000 <= r && r <= 0x2a6df || 0x2a700 <= r && r <= 0x2ceaf || 0x2f800 <= r && r <= 0x2fa1f
}
