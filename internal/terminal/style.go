package terminal

import "strings"

// Style is how a Span looks where styles are shown. It never says more than the text does.
type Style int

// The styles: Heading for titles, Good, Bad and Doubtful for verdicts, Faint for what is read last.
const (
	Plain Style = iota
	Heading
	Good
	Bad
	Doubtful
	Faint
)

// Span is text of one style. As a string it is the text.
type Span struct {
	Style Style
	Text  string
}

// String is the text alone.
func (s Span) String() string { return s.Text }

// sequences begin the styles: ANSI's "select graphic rendition", in the eight colours that every palette has.
var sequences = [...]string{
	Plain: "", Heading: "\x1b[1m", Good: "\x1b[32m", Bad: "\x1b[1;31m", Doubtful: "\x1b[33m", Faint: "\x1b[2m",
}

// reset ends a style.
const reset = "\x1b[0m"

// styledText is the text with its style.
func (s Span) styledText(colour bool) string {
	text := Text(s.Text)
	if !colour || text == "" || s.Style <= Plain || int(s.Style) >= len(sequences) {
		return text
	}
	return sequences[s.Style] + text + reset
}

// OfVerdict is a verdict, or another word that judges, in its style: what the harness itself says of runs, checks and
// pins. A verdict that it does not know is plain.
func OfVerdict(word string) Span {
	style := Plain
	kind, _, _ := strings.Cut(word, " (") // as in "VALID (smoke)"
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
