package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// ChosenLetter is the answer to a question with lettered options.
type ChosenLetter struct {
	// Text is the letter in upper case, "" where there is none. The dotted capital I (U+0130), which the official
	// scripts take for an i, stays as it is, and so is none of the options.
	Text string
	// Loose says that nothing announced the letter as the answer: it stands first in a final section, or alone somewhere.
	// The official scripts take "A dog" for the answer A.
	Loose bool
}

// Choice is what DeepSeek-R1's script takes for the chosen letter. last is the last option, 'D' or 'J'; with 'J' a
// letter that stands alone counts where no other does.
func Choice(text string, last byte) ChosenLetter {
	t := cleanText(pystr.Trim(text))
	return announcedLetter(t, t, last)
}

// HarmonyChoice is what gpt-oss-120b's script takes for the chosen letter; last is as in Choice.
func HarmonyChoice(text string, last byte) ChosenLetter {
	full := pystr.Trim(text)
	final, _ := finalOf(full)
	final = cleanText(stripBold(final))
	if l := leadingLetter(pystr.Trim(final), last); l != "" {
		return ChosenLetter{Text: l, Loose: true}
	}
	if l := firstAnswer(final, last); l != "" {
		return ChosenLetter{Text: l}
	}
	return announcedLetter(unescapeText(full), final, last)
}

// announcedLetter is the last announced letter of a text, or, with ten options, the last that stands alone in another.
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

// cleanText takes a Python list of one string off its text, and puts newlines and quotes in place of their escapes.
func cleanText(t string) string {
	open := strings.HasPrefix(t, "['") || strings.HasPrefix(t, `["`)
	if open && (strings.HasSuffix(t, "']") || strings.HasSuffix(t, `"]`)) {
		t = pystr.Trim(t[2:max(2, len(t)-2)])
	}
	return unescapeText(t)
}

// lastAnnouncedLetter is the last letter that "answer" or "final answer" announces. No announcement can begin within
// another, so the last is found from the end.
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

// beginsAnswer says whether "answer" at i is a word of its own or joined to a word "final". White space between the
// two makes it a word of its own anyway.
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

// announcedAt is the letter that follows "answer", which ends at i: a word's end, one : or =, one parenthesis, the
// letter, one parenthesis, with white space between all of them, and behind it the end or what is no letter.
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
	// What follows the letter may be the parenthesis itself or white space, so that only a letter that follows at once
	// takes the announcement back.
	if after, _ := runeAt(t, end); isLetter(after) {
		return ""
	}
	return upperLetter(r)
}

// upperLetter is a letter's capital; the dotted one is a capital already.
func upperLetter(r rune) string {
	switch r {
	case '\u0130':
		return "\u0130"
	case '\u0131':
		return "I"
	}
	return string(foldLetter(r) - ('a' - 'A'))
}

// loneLetter is the last option that is a word of its own.
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

// leadingLetter is the option that a text begins with, apart from what is no letter, if it is a letter alone.
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

// firstAnswer is the first option behind the word answer and at most one : or . that is a word's end.
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

// stripBold takes the stars off what is printed bold: two stars, anything but stars, two stars.
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
