package terminal

import "strings"

// Style is the look of a Span if styles are shown. It never adds information to the text.
type Style int

// The styles: Heading for titles; Good, Bad and Doubtful for verdicts; Faint for less important text.
const (
	Plain Style = iota
	Heading
	Good
	Bad
	Doubtful
	Faint
)

// Span is text in one style. Its string form is the text.
type Span struct {
	Style Style
	Text  string
}

// String returns the text without style.
func (s Span) String() string { return s.Text }

// styleStarts contains the start of each style: ANSI's "select graphic rendition", in the eight colours of every
// palette.
var styleStarts = [...]string{
	Plain: "", Heading: "\x1b[1m", Good: "\x1b[32m", Bad: "\x1b[1;31m", Doubtful: "\x1b[33m", Faint: "\x1b[2m",
}

// styleEnd is the end of a style.
const styleEnd = "\x1b[0m"

// styledText returns the text with its style.
func (s Span) styledText(colour bool) string {
	text := Text(s.Text)
	if !colour || text == "" || s.Style <= Plain || int(s.Style) >= len(styleStarts) {
		return text
	}
	return styleStarts[s.Style] + text + styleEnd
}

// StyleVerdict returns a verdict or a similar word of the harness in its style: verdicts on runs, checks and pins.
// Unknown words are plain.
func StyleVerdict(word string) Span {
	style := Plain
	kind, _, _ := strings.Cut(word, " (") // for example "VALID (smoke)"
	switch kind {
	case "VALID", "ok", "PASS", "accept", "HOLDS":
		style = Good
	case "INVALID", "FAILED", "FAIL", "reject", "NOT THE SAME", "BELOW TARGET", "ABOVE LIMIT", "MISSES":
		style = Bad
	case "INTERRUPTED", "UNFINISHED", "warn", "skip":
		style = Doubtful
	}
	return Span{style, word}
}
