// Package doctor checks whether a machine and its plugins are ready for benchmarks.
package doctor

import (
	"fmt"
	"io"

	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// CheckState is the outcome of one check.
type CheckState string

// The states. With Warn, runs work but may be slower or less exact than possible. Off is a check that was cancelled and
// found nothing.
const (
	OK   CheckState = "ok"
	Warn CheckState = "warn"
	Fail CheckState = "FAIL"
	Off  CheckState = "-"
)

// Check contains the subject of a check, its finding, and advice.
type Check struct {
	Name   string
	State  CheckState
	Found  string
	Advice string        // empty if there is nothing to do
	Code   exitcode.Code // of a failed check

	Version string // of the backend's library, if the check opened one
}

// Section is a group of checks.
type Section struct {
	Title  string
	Checks []Check
}

// Versions returns the versions of the libraries that the checks opened.
func (s Section) Versions() []string {
	var opened []Check
	for _, c := range s.Checks {
		if c.Version != "" {
			opened = append(opened, c)
		}
	}
	versions := make([]string, len(opened))
	for i, c := range opened {
		versions[i] = c.Version
	}
	return versions
}

// Write prints the sections, one line per check and its advice below it.
func Write(w io.Writer, sections []Section) error {
	for i, s := range sections {
		if i > 0 {
			fmt.Fprintln(w)
		}
		terminal.WriterTo(w).Print(terminal.Span{Style: terminal.Heading, Text: s.Title}, "\n")
		t := table.Table{Indent: "  "}
		for _, c := range s.Checks {
			t.Row(terminal.StyleVerdict(string(c.State)), c.Name, c.Found)
			if c.Advice != "" {
				t.Row("", "", "-> "+c.Advice)
			}
		}
		if _, err := t.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// WorstCode returns the worst exit code of the failed checks.
func WorstCode(sections []Section) exitcode.Code {
	var codes []exitcode.Code
	for _, s := range sections {
		var failed []Check
		for _, c := range s.Checks {
			if c.State == Fail {
				failed = append(failed, c)
			}
		}
		for _, c := range failed {
			codes = append(codes, c.Code)
		}
	}
	return exitcode.Worst(codes...)
}

// CountStates returns the number of checks per state except OK.
func CountStates(sections []Section) string {
	warn, fail := 0, 0
	for _, s := range sections {
		for _, c := range s.Checks {
			switch c.State {
			case Warn:
				warn++
			case Fail:
				fail++
			}
		}
	}
	if warn+fail == 0 {
		return "all is well"
	}
	return fmt.Sprintf("%d to mend, %d to know about", fail, warn)
}
