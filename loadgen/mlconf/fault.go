package mlconf

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem is one fault of an input.
type Problem struct {
	Source string // path, flag
	Line   int    // 0 where it has none
	Key    string // may be empty
	Text   string
}

// maxFaults and maxLine bound the text of an error, whatever the input: lines, and characters of each.
const (
	maxFaults = 48
	maxLine   = 180
)

// String is one line without control characters; of a line of a file it has at most 180 characters.
func (p Problem) String() string {
	text := pathTail(p.Source)
	if p.Line > 0 {
		text += fmt.Sprintf(":%d", p.Line)
	}
	if p.Key != "" {
		text += ": " + shortenText(p.Key, maxLine/3)
	}
	most := maxLine
	if p.Line == 0 { // a flag's: it may list what there is
		most *= 10
	}
	return shortenText(text+": "+p.Text, most)
}

// Faults are all faults of the inputs of one call. They wrap [ErrConfig].
type Faults []Problem

// Unwrap returns [ErrConfig].
func (Faults) Unwrap() error { return ErrConfig }

// Error lists the faults, one in a line; behind the 48th it says how many more there are.
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

// asError is the problems as an error; nil without any.
func asError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return Faults(problems)
}

// shortenText cuts a text of more than most characters, and writes characters that are not printable as escapes.
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

// pathTail is the end of a path that is too long for a line.
func pathTail(path string) string {
	const most = maxLine / 2
	if len(path) <= most {
		return path
	}
	return "..." + strings.ToValidUTF8(path[len(path)-most:], "")
}
