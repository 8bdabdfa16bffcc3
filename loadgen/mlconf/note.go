package mlconf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Note reports lines of a configuration file that are not applied and are not faults.
type Note struct {
	Source string // path
	Lines  []int
	Text   string
}

// String returns, for example, "user.conf: lines 3, 7: of other models (bert), and are ignored in a run of resnet50".
func (n Note) String() string {
	word := "line"
	if len(n.Lines) > 1 {
		word = "lines"
	}
	return shortenText(fmt.Sprintf("%s: %s %s: %s", pathTail(n.Source), word, listFirst(n.Lines), n.Text), maxLine)
}

// listFirst lists the first values and the number of the others.
func listFirst[T any](values []T) string {
	const shown = 5
	var texts []string
	for _, v := range values[:min(len(values), shown)] {
		texts = append(texts, shortenText(fmt.Sprint(v), maxLine/shown))
	}
	text := strings.Join(texts, ", ")
	if more := len(values) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ignoredLines contains the lines that are not applied, by reason.
type ignoredLines map[string]*ignoredLine

type ignoredLine struct {
	lines []int
	names map[string]bool
}

// addLine records a line under a reason, in which %s stands for the names.
func (a ignoredLines) addLine(reason string, line int, name string) {
	if a[reason] == nil {
		a[reason] = &ignoredLine{names: map[string]bool{}}
	}
	a[reason].lines = append(a[reason].lines, line)
	a[reason].names[name] = true
}

func (a ignoredLines) toNotes(source string) []Note {
	var notes []Note
	for _, reason := range slices.Sorted(maps.Keys(a)) {
		names := listFirst(slices.Sorted(maps.Keys(a[reason].names)))
		notes = append(notes, Note{Source: source, Lines: a[reason].lines, Text: strings.Replace(reason, "%s", names, 1)})
	}
	return notes
}
