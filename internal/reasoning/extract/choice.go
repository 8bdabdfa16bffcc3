package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// ChosenLetter is the answer to a question with lettered options.
type ChosenLetter struct {
	// Text is the letter in upper case, or "" if there is none. The official scripts treat the dotted capital I
	// (U+0130) as an i. Here it stays unchanged, so it equals none of the options.
	Text string
	// Loose means that no announcement precedes the letter: it is at the start of a final section or alone in the text.
	// For example, the official scripts read "A dog" as the answer A.
	Loose bool
}

// Choice returns the letter that DeepSeek-R1's script reads as the answer. last is the last option, 'D' or 'J'. With
// 'J' a single letter counts if no letter is announced.
func Choice(text string, last byte) ChosenLetter {
	t := cleanText(pystr.Trim(text))
	return announcedLetter(t, t, last)
}

// HarmonyChoice returns the letter that gpt-oss-120b's script reads as the answer; last is as in Choice.
func HarmonyChoice(text string, last byte) ChosenLetter {
	full := pystr.Trim(text)
	final, _ := finalSection(full)
	final = cleanText(stripBold(final))
	if l := leadingLetter(pystr.Trim(final), last); l != "" {
		return ChosenLetter{Text: l, Loose: true}
	}
	if l := firstAnswer(final, last); l != "" {
		return ChosenLetter{Text: l}
	}
	return announcedLetter(unescapeText(full), final, last)
}

// announcedLetter returns the last announced letter of t. If there is none and there are ten options, it returns the
// last single letter of alone.
func announcedLetter(t, alone string, last byte) ChosenLetter {
	if l := lastAnnouncedLetter(t, last); l != "" {
		return ChosenLetter{Text: l}
	}
	if last == 'J' {
		l := loneLetter(alone, last)
		return ChosenLetter{Text: l, Loose: l != ""}
	}
	return ChosenLetter{}
}

// cleanText removes the form of a Python list of one string, and replaces escapes of newlines and quotes.
func cleanText(t string) string {
	open := strings.HasPrefix(t, "['") || strings.HasPrefix(t, `["`)
	if open && (strings.HasSuffix(t, "']") || strings.HasSuffix(t, `"]`)) {
		t = pystr.Trim(t[2:max(2, len(t)-2)])
	}
	return unescapeText(t)
}

// lastAnnouncedLetter returns the last letter that "answer" or "final answer" announces. It searches from the end,
// which is possible because announcements cannot overlap.
func lastAnnouncedLetter(t string, last byte) string {
	for i := len(t); i > 0; {
		start, end := lastAnswer(t, i)
		if start < 0 {
			break
		}
		if beginsAnswer(t, start) {
			if l := announcedAt(t, end, last); l != "" {
				return l
			}
		}
		i = start
	}
	return ""
}

// beginsAnswer reports whether the "answer" at i is a separate word or joined to a word "final". It is also separate if
// white space precedes it.
func beginsAnswer(t string, i int) bool {
	if isBoundary(t, i) {
		return true
	}
	const final = "final"
	start := i
	for range len(final) {
		_, start = runeBefore(t, start)
	}
	end, ok := matchWord(t, start, final)
	return ok && end == i && isBoundary(t, start)
}

// announcedAt returns the letter after an "answer" that ends at i. Between them are the end of the word, a : or =, and
// an optional parenthesis; an optional parenthesis follows the letter. White space may be between all of these. After
// them the text must end, or a character other than a letter must follow.
func announcedAt(t string, i int, last byte) string {
	if !isBoundary(t, i) {
		return ""
	}
	i = skipSpaces(t, i)
	if i < len(t) && (t[i] == ':' || t[i] == '=') {
		i = skipSpaces(t, i+1)
	}
	if i < len(t) && t[i] == '(' {
		i = skipSpaces(t, i+1)
	}
	r, end := runeAt(t, i)
	if !isOption(r, last) {
		return ""
	}
	// The character after the letter may be the parenthesis or white space. Therefore only a letter directly after it
	// makes the announcement invalid.
	if after, _ := runeAt(t, end); isLetter(after) {
		return ""
	}
	return upperLetter(r)
}

// upperLetter returns the capital of a letter. The dotted capital I stays unchanged.
func upperLetter(r rune) string {
	switch r {
	case '\u0130':
		return "\u0130"
	case '\u0131':
		return "I"
	}
	return string(foldLetter(r) - ('a' - 'A'))
}

// loneLetter returns the last option that is a separate word.
func loneLetter(t string, last byte) string {
	for end := len(t); end > 0; end-- {
		r, start := rune(t[end-1]), end-1
		switch {
		case r|caseBit >= 'a' && r|caseBit <= rune(last|caseBit):
			if end < len(t) && t[end] < utf8.RuneSelf && isWordByte(t[end]) {
				continue
			}
		case r >= utf8.RuneSelf:
			if r, start = runeBefore(t, end); !isOption(r, last) {
				continue
			}
		default:
			continue
		}
		left, _ := runeBefore(t, start)
		right, _ := runeAt(t, end)
		if !isWord(left) && !isWord(right) {
			return upperLetter(r)
		}
	}
	return ""
}

// leadingLetter returns the option at the start of a text, after characters that are not letters, if no other letter
// follows it directly.
func leadingLetter(t string, last byte) string {
	for i := 0; i < len(t); {
		r, end := runeAt(t, i)
		if !isLetter(r) {
			i = end
			continue
		}
		if after, _ := runeAt(t, end); isOption(r, last) && !isLetter(after) {
			return upperLetter(r)
		}
		break
	}
	return ""
}

// firstAnswer returns the first option after the word answer, an optional : or ., and the end of a word.
func firstAnswer(t string, last byte) string {
	for i := 0; ; {
		start, end := nextAnswer(t, i)
		if start < 0 {
			return ""
		}
		i = start + 1
		if !isBoundary(t, start) {
			continue
		}
		k := skipSpaces(t, end)
		if k < len(t) && (t[k] == ':' || t[k] == '.') {
			k = skipSpaces(t, k+1)
		}
		if r, next := runeAt(t, k); isOption(r, last) && isBoundary(t, next) {
			return upperLetter(r)
		}
	}
}

// stripBold removes the stars around bold text: two stars, text without stars, two stars.
func stripBold(t string) string {
	const stars = "**"
	var b strings.Builder
	kept := 0
	for i := strings.Index(t, stars); i >= 0; {
		inside := i + len(stars)
		n := strings.IndexByte(t[inside:], '*')
		if n < 0 {
			break
		}
		end := inside + n
		next := end
		switch {
		case n == 0:
			next = i + 1
		case strings.HasPrefix(t[end:], stars):
			b.WriteString(t[kept:i])
			b.WriteString(t[inside:end])
			next = end + len(stars)
			kept = next
		}
		at := strings.Index(t[next:], stars)
		if at < 0 {
			break
		}
		i = next + at
	}
	if kept == 0 {
		return t
	}
	b.WriteString(t[kept:])
	return b.String()
}
