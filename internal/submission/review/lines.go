package review

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/check"
)

// Line is a line of the report, for one or more cases of a submitter with the same findings.
type Line struct {
	Finding check.Finding // first finding of the first case
	File    string        // path relative to the submitter's folder
	Other   string        // second file of the finding, also relative; empty: none
	More    int           // number of further findings of the kind on the same run
	Follow  []string      // texts of findings that follow from it, without duplicates
	Places  []string      // files of all cases, relative to the submitter's folder
}

// Lines returns the submitter's cases, with equal ones merged.
func (s Submitter) Lines() []Line {
	var lines []Line
	at := map[string]int{}
	for _, c := range s.Cases {
		f := c.Findings[0]
		file, key := s.relativePath(f.Path), mergeKey(f)
		if i, has := at[key]; has {
			lines[i].Places = append(lines[i].Places, file)
			continue
		}
		at[key] = len(lines)
		lines = append(lines, Line{Finding: f, File: file, Other: s.relativePath(f.Other), More: len(c.Findings) - 1,
			Follow: findingTexts(c.Follow), Places: []string{file}})
	}
	return lines
}

// mergeKey returns the part of a finding that is equal for findings in one line: its values, and for a run filed twice
// the systems.
func mergeKey(f check.Finding) string {
	of := []string{f.Found, f.Expected}
	switch {
	case f.Kind == check.RunFiledTwice:
		of = []string{systemFolder(f.Path), systemFolder(f.Other)}
	case f.Other != "":
		of = append(of, f.Path)
	}
	return strings.Join(append(of, string(f.Severity), f.What), "\x00")
}

// systemFolder returns the system's folder of a file in it: division, submitter, results, system.
func systemFolder(name string) string {
	parts := strings.SplitN(name, "/", 5)
	return strings.Join(parts[:min(len(parts), 4)], "/")
}

// relativePath returns a path relative to the submitter's folder. A path in another submitter's folder stays whole.
func (s Submitter) relativePath(name string) string {
	if s.Folder == "" {
		return name
	}
	return strings.TrimPrefix(name, s.Folder+"/")
}

// String returns the line as a text.
func (l Line) String() string {
	var b strings.Builder
	if n := len(l.Places); n > 1 {
		fmt.Fprintf(&b, "x %d, the first: ", n)
	}
	fmt.Fprintf(&b, "%s: %s", plainOrQuoted(l.File), plainOrQuoted(l.Finding.What))
	if found := l.Found(); found != "" {
		fmt.Fprintf(&b, "; found %s", found)
	}
	if l.Finding.Expected != "" {
		fmt.Fprintf(&b, "; expected %s", Quote(l.Finding.Expected))
	}
	if l.Other != "" && l.Finding.Other != l.Finding.Found {
		fmt.Fprintf(&b, " (%s)", plainOrQuoted(l.Other))
	}
	for _, note := range l.Notes() {
		b.WriteString("; " + note)
	}
	return b.String()
}

// Found returns the found value in quotes. For two equal files it returns the path of the other one.
func (l Line) Found() string {
	switch l.Finding.Found {
	case "":
		return ""
	case l.Finding.Other:
		return plainOrQuoted(l.Other)
	}
	return Quote(l.Finding.Found)
}

// Notes describes the further findings on the run.
func (l Line) Notes() []string {
	var notes []string
	if l.Finding.Severity == check.Warn {
		notes = append(notes, "a warning")
	}
	if l.More > 0 {
		notes = append(notes, fmt.Sprintf("%d more of this kind on the run", l.More))
	}
	if n := len(l.Follow); n > 0 {
		note := "also: " + strings.Join(l.Follow[:min(n, maxFollow)], ", ")
		if n > maxFollow {
			note += ", and " + figure.Plural(n-maxFollow, "other fault") + " of the run"
		}
		notes = append(notes, plainOrQuoted(note))
	}
	return notes
}

// maxFollow is the maximum number of listed consequences.
const maxFollow = 4

// findingTexts returns the texts of findings without duplicates.
func findingTexts(list []check.Finding) []string {
	var all []string
	has := map[string]bool{}
	for _, f := range list {
		if !has[f.What] {
			has[f.What] = true
			all = append(all, f.What)
		}
	}
	return all
}

// maxQuoted is the maximum number of shown characters of a value.
const maxQuoted = 90

// Quote returns a value in quotes as a single line, truncated if it is long.
func Quote(value string) string {
	cut := ""
	if runes := []rune(value); len(runes) > maxQuoted {
		value, cut = string(runes[:maxQuoted]), "..."
	}
	if strings.ContainsFunc(value, isUnprintable) {
		return strconv.Quote(value) + cut
	}
	return "'" + value + "'" + cut
}

// plainOrQuoted returns a name unchanged, or in quotes if it contains unprintable characters.
func plainOrQuoted(name string) string {
	if strings.ContainsFunc(name, isUnprintable) {
		return strconv.Quote(name)
	}
	return name
}

func isUnprintable(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
