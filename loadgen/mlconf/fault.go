package mlconf

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem is one fault of an input.
type Problem struct {
	Source string // path of a file, or a flag
	Line   int    // 0 if it has none
	Key    string // may be empty
	Text   string
}

// maxFaults is the maximum number of lines in an error text, and maxLine the maximum number of characters in a line.
const (
	maxFaults = 48
	maxLine   = 180
)

// String returns one line without control characters. For a fault in a line of a file, its maximum length is 180
// characters.
func (p Problem) String() string {
	text := pathTail(p.Source)
	if p.Line > 0 {
		text += fmt.Sprintf(":%d", p.Line)
	}
	if p.Key != "" {
		text += ": " + shortenText(p.Key, maxLine/3)
	}
	most := maxLine
	if p.Line == 0 { // the text of a flag's fault may list all known values
		most *= 10
	}
	return shortenText(text+": "+p.Text, most)
}

// Faults contains all faults of the inputs of one call. It wraps [ErrConfig].
type Faults []Problem

// Unwrap returns [ErrConfig].
func (Faults) Unwrap() error { return ErrConfig }

// Error lists the first 48 faults, one per line, and the number of the others.
func (f Faults) Error() string {
	if len(f) == 1 {
		return ErrConfig.Error() + ": " + f[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %d faults:", ErrConfig, len(f))
	for _, p := range f[:min(len(f), maxFaults)] {
		b.WriteString("\n  " + p.String())
	}
	if more := len(f) - maxFaults; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// toError returns the problems as an error, or nil if there are none.
func toError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return Faults(problems)
}

// shortenText shortens a text of more than most characters and escapes characters that are not printable.
func shortenText(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		piece := string(r)
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			piece = fmt.Sprintf(`\u%04x`, r)
		}
		if n += utf8.RuneCountInString(piece); n > most-len("...") {
			return b.String() + "..."
		}
		b.WriteString(piece)
	}
	return b.String()
}

// pathTail returns the end of a path that is too long for a line, or the whole path.
func pathTail(path string) string {
	const most = maxLine / 2
	if len(path) <= most {
		return path
	}
	return "..." + strings.ToValidUTF8(path[len(path)-most:], "")
}
