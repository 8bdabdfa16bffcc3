package passages

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// cleanText is the text of a page as it is cut into passages.
func cleanText(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == 0xa0, 0x2000 <= r && r <= 0x200b, r == 0x2028, r == 0x2029:
			return ' '
		case r == '\r':
			return '\n'
		}
		return r
	}, norm.NFKC.String(text))
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = pystr.Trim(line); line != "" {
			lines = append(lines, line)
		}
	}
	return oneSpace(joinHyphens(spacePunctuation(strings.Join(lines, "\n"))))
}

// spacePunctuation puts a space behind a mark of punctuation that stands before a letter of ASCII.
func spacePunctuation(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/64)
	for i := range len(text) {
		b.WriteByte(text[i])
		if i+1 < len(text) && strings.IndexByte(".!?,:;", text[i]) >= 0 && isLetter(text[i+1]) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// joinHyphens takes out the white space behind a hyphen between two words. Of "a- b- c" the first hyphen alone is
// joined: its second word is used up.
func joinHyphens(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	done, used := 0, 0 // what is written, and where the next first word may begin
	for from := 0; ; {
		at := strings.IndexByte(text[from:], '-')
		if at < 0 {
			b.WriteString(text[done:])
			return b.String()
		}
		at += from
		from = at + 1
		rest := pystr.TrimLeft(text[from:])
		start := len(text) - len(rest)
		before, _ := utf8.DecodeLastRuneInString(text[used:at])
		after, _ := utf8.DecodeRuneInString(rest)
		if start == from || used >= at || rest == "" || !pystr.IsWord(before) || !pystr.IsWord(after) {
			continue
		}
		b.WriteString(text[done : at+1])
		done = start
		end := strings.IndexFunc(rest, func(r rune) bool { return !pystr.IsWord(r) })
		if end < 0 {
			end = len(rest)
		}
		used, from = start+end, start+end
	}
}

// oneSpace makes each run of white space one space.
func oneSpace(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, r := range text {
		if pystr.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}
