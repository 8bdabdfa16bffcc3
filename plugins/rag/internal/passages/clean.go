package passages

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// cleanText normalizes the text of a page before it is split into passages.
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
	return collapseSpace(joinHyphens(spacePunctuation(strings.Join(lines, "\n"))))
}

// spacePunctuation inserts a space between a punctuation mark and an ASCII letter that follows it.
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

// joinHyphens removes the white space after a hyphen between two words. In "a- b- c" only the first hyphen is joined,
// because its second word cannot be the first word of another match.
func joinHyphens(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	written, nextStart := 0, 0 // length of the text already written, and the earliest start of the next first word
	for from := 0; ; {
		at := strings.IndexByte(text[from:], '-')
		if at < 0 {
			b.WriteString(text[written:])
			return b.String()
		}
		at += from
		from = at + 1
		rest := pystr.TrimLeft(text[from:])
		start := len(text) - len(rest)
		before, _ := utf8.DecodeLastRuneInString(text[nextStart:at])
		after, _ := utf8.DecodeRuneInString(rest)
		if start == from || nextStart >= at || rest == "" || !pystr.IsWord(before) || !pystr.IsWord(after) {
			continue
		}
		b.WriteString(text[written : at+1])
		written = start
		end := strings.IndexFunc(rest, func(r rune) bool { return !pystr.IsWord(r) })
		if end < 0 {
			end = len(rest)
		}
		nextStart, from = start+end, start+end
	}
}

// collapseSpace replaces each run of white space with one space.
func collapseSpace(text string) string {
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
