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
	Finding check.Finding // the first of the first case
	File    string        // below the submitter's folder
	Other   string        // the second file of the finding, likewise; empty: there is none
	More    int           // findings of the kind on the same run besides
	Follow  []string      // what findings say that follow from it, each once
	Places  []string      // the files of all cases, below the submitter's folder
}

// Lines are the cases of a submitter, those with equal values as one.
func (s Submitter) Lines() []Line {
	var lines []Line
	at := map[string]int{}
	for _, c := range s.Cases {
		f := c.Findings[0]
		file, key := s.below(f.Path), alike(f)
		if i, has := at[key]; has {
			lines[i].Places = append(lines[i].Places, file)
			continue
		}
		at[key] = len(lines)
		lines = append(lines, Line{Finding: f, File: file, Other: s.below(f.Other), More: len(c.Findings) - 1,
			Follow: sayings(c.Follow), Places: []string{file}})
	}
	return lines
}

// alike is what findings have in common that are one line: their values, and of runs that are filed twice the systems.
func alike(f check.Finding) string {
	of := []string{f.Found, f.Expected}
	switch {
	case f.Kind == check.RunFiledTwice:
		of = []string{systemIn(f.Path), systemIn(f.Other)}
	case f.Other != "":
		of = append(of, f.Path)
	}
	return strings.Join(append(of, string(f.Severity), f.What), "\x00")
}

// systemIn is the system's folder of a file in it: division, submitter, results, system.
func systemIn(name string) string {
	parts := strings.SplitN(name, "/", 5)
	return strings.Join(parts[:min(len(parts), 4)], "/")
}

// below is a path without the submitter's folder; that of another submitter's stays whole.
func (s Submitter) below(name string) string {
	if s.Folder == "" {
		return name
	}
	return strings.TrimPrefix(name, s.Folder+"/")
}

// String is the line as people read it.
func (l Line) String() string {
	var b strings.Builder
	if n := len(l.Places); n > 1 {
		fmt.Fprintf(&b, "x %d, the first: ", n)
	}
	fmt.Fprintf(&b, "%s: %s", plain(l.File), plain(l.Finding.What))
	if found := l.Found(); found != "" {
		fmt.Fprintf(&b, "; found %s", found)
	}
	if l.Finding.Expected != "" {
		fmt.Fprintf(&b, "; expected %s", Quote(l.Finding.Expected))
	}
	if l.Other != "" && l.Finding.Other != l.Finding.Found {
		fmt.Fprintf(&b, " (%s)", plain(l.Other))
	}
	for _, note := range l.Notes() {
		b.WriteString("; " + note)
	}
	return b.String()
}

// Found is the value that was found, in quotes; of two files that are alike the other one, whole.
func (l Line) Found() string {
	switch l.Finding.Found {
	case "":
		return ""
	case l.Finding.Other:
		return plain(l.Other)
	}
	return Quote(l.Finding.Found)
}

// Notes say how much else there is of the run.
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
		notes = append(notes, plain(note))
	}
	return notes
}

// maxFollow is how many faults are named that follow from another.
const maxFollow = 4

// sayings are what findings say, each once.
func sayings(list []check.Finding) []string {
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

// maxQuoted is how many characters of a value are shown.
const maxQuoted = 90

// Quote is a value in quotes, on one line; of a long one its beginning.
func Quote(value string) string {
	cut := ""
	if runes := []rune(value); len(runes) > maxQuoted {
		value, cut = string(runes[:maxQuoted]), "..."
	}
	if strings.ContainsFunc(value, unprintable) {
		return strconv.Quote(value) + cut
	}
	return "'" + value + "'" + cut
}

// plain is a name as it is, or in quotes where it has characters that are not printed.
func plain(name string) string {
	if strings.ContainsFunc(name, unprintable) {
		return strconv.Quote(name)
	}
	return name
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
