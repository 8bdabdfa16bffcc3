// Package ci writes the outcome of a command for continuous integration. It writes a summary in Markdown, which forges
// show on a job's page, and a JUnit file, whose cases they list as tests.
//
// In scope: the command's runs, comparisons, findings and conditions. Out of scope: writing files.
package ci

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/table"
)

// CaseOutcome is the outcome of a case.
type CaseOutcome string

// The outcomes. Failed is a bad verdict; Broken is a failure before there was a verdict.
const (
	Passed  CaseOutcome = "passed"
	Failed  CaseOutcome = "failed"
	Broken  CaseOutcome = "error"
	Skipped CaseOutcome = "skipped"
)

// ReportCase is the verdict on a run, a condition or a result of a submission.
type ReportCase struct {
	Group, Name string // such as "run" and "resnet50 Offline performance"
	Outcome     CaseOutcome
	Message     string // one line that explains an outcome other than Passed
	Detail      string // further lines of explanation
}

// section is a table with a title above and lines below it.
type section struct {
	title string
	rows  *table.Table
	notes []string
}

// Report collects the results of a command. Its methods accept a nil *Report and then do nothing. It is not safe for
// concurrent use.
type Report struct {
	sections []section
	cases    []ReportCase
	finished []record.Run
}

// FinishedRuns returns the finished runs among those added.
func (r *Report) FinishedRuns() []record.Run { return r.finished }

// AddTable adds a table and the lines below it. It omits a table without rows, but not its lines.
func (r *Report) AddTable(title string, rows *table.Table, notes ...string) {
	if r != nil {
		r.sections = append(r.sections, section{title, rows, notes})
	}
}

// AddCase adds a verdict.
func (r *Report) AddCase(c ReportCase) {
	if r != nil {
		r.cases = append(r.cases, c)
	}
}

// AddRuns adds a table of all runs and one case per run.
func (r *Report) AddRuns(runs []record.Run) {
	if r == nil || len(runs) == 0 {
		return
	}
	t := &table.Table{}
	t.Head("run", "verdict", "result", "of", "why")
	for _, run := range runs {
		value, of := "", ""
		if f, ok := run.Headline(); ok {
			value, of = f.String(), f.Name
		}
		if run.Status == record.Complete {
			r.finished = append(r.finished, run)
		}
		why := failureReasons(run)
		t.Row(run.Name(), run.Verdict, value, of, strings.Join(why, "; "))
		c := ReportCase{Group: "run", Name: run.Name(), Outcome: caseOutcome(run), Message: run.Verdict}
		if len(why) > 0 {
			c.Message, c.Detail = run.Verdict+": "+why[0], strings.Join(why, "\n")
		}
		r.AddCase(c)
	}
	r.AddTable("Runs", t)
}

// caseOutcome returns the outcome of a run's case.
func caseOutcome(r record.Run) CaseOutcome {
	switch {
	case r.Status == record.NotRun, r.Status == record.Interrupted:
		return Skipped
	case r.Status == record.Failed:
		return Broken
	case r.ExitCode != 0:
		return Failed
	}
	return Passed
}

// failureReasons returns the lines that explain why a run is not good. For a good run it returns nil.
func failureReasons(r record.Run) (why []string) {
	for _, reason := range r.Reasons {
		why = append(why, fmt.Sprintf("%s: %s, needed %s", reason.Rule, reason.Measured, reason.Needed))
	}
	if r.Accuracy != nil && !r.Accuracy.OK() {
		for _, m := range r.Accuracy.Verdict.Metrics {
			if m.Text != "" {
				why = append(why, m.Text)
			}
		}
	}
	if len(why) == 0 && r.ExitCode != 0 {
		for _, m := range r.Messages {
			why = append(why, m.Text)
		}
	}
	return why
}

// conditionGroup is the group of the cases of conditions.
const conditionGroup = "fail-if"

// AddCondition adds a condition of --fail-if. met contains one line for each subject that meets it.
func (r *Report) AddCondition(condition string, met []string) {
	c := ReportCase{Group: conditionGroup, Name: condition, Outcome: Passed}
	if len(met) > 0 {
		c.Outcome, c.Message, c.Detail = Failed, met[0], strings.Join(met, "\n")
	}
	r.AddCase(c)
}

// maxFindings limits the findings in a summary. Forges reject a summary of more than a megabyte.
const maxFindings = 500

// FindingList is the list of findings of a check.
type FindingList struct {
	rows *table.Table
	more int
}

// NewFindingList returns an empty list with column headings.
func NewFindingList(headings ...any) *FindingList {
	f := &FindingList{rows: &table.Table{}}
	f.rows.Head(headings...)
	return f
}

// Add adds a finding. After maxFindings it only counts the findings.
func (f *FindingList) Add(cells ...any) {
	if f.rows.Len() > maxFindings {
		f.more++
		return
	}
	f.rows.Row(cells...)
}

// AddFindings adds the findings of a check and its verdict.
func (r *Report) AddFindings(f *FindingList, verdict string) {
	notes := []string{verdict}
	if f.more > 0 {
		notes = append(notes, fmt.Sprintf("%d more findings are left out.", f.more))
	}
	rows := f.rows
	if rows.Len() == 1 {
		rows = nil
	}
	r.AddTable("Findings", rows, notes...)
}

// AddFault adds a case for the error that ended the command.
func (r *Report) AddFault(command string, err error) {
	if err != nil {
		text := err.Error()
		line, _, _ := strings.Cut(text, "\n")
		r.AddCase(ReportCase{Group: "command", Name: command, Outcome: Broken, Message: line, Detail: text})
	}
}

// WriteMarkdown writes the summary: the verdict, the cases that did not pass, and the tables.
func (r *Report) WriteMarkdown(w io.Writer, command string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n", table.EscapeMarkdown(command), r.countText())
	for _, c := range r.cases {
		// the table of runs contains the reasons
		if c.Outcome == Failed && c.Group != "run" || c.Outcome == Broken && c.Group == "command" {
			fmt.Fprintf(&b, "\n- **%s** %s: %s", c.Outcome, table.EscapeMarkdown(c.Name), table.EscapeMarkdown(c.Message))
		}
	}
	b.WriteString("\n")
	for _, s := range r.sections {
		if s.title != "" {
			fmt.Fprintf(&b, "\n### %s\n\n", table.EscapeMarkdown(s.title))
		}
		if s.rows != nil {
			if err := s.rows.WriteMarkdown(&b); err != nil {
				return err
			}
		}
		for _, note := range s.notes {
			fmt.Fprintf(&b, "\n%s\n", table.EscapeMarkdown(note))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// countText returns the number of cases per outcome: "2 passed, 1 failed". It omits outcomes without cases.
func (r *Report) countText() string {
	var parts []string
	for _, outcome := range []CaseOutcome{Passed, Failed, Broken, Skipped} {
		if n := r.countOutcome(outcome); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	if len(parts) == 0 {
		return "Nothing was judged."
	}
	return strings.Join(parts, ", ")
}

func (r *Report) countOutcome(outcome CaseOutcome) (n int) {
	for _, c := range r.cases {
		if c.Outcome == outcome {
			n++
		}
	}
	return n
}

// caseGroups returns the groups of the cases, in the order of their first case.
func (r *Report) caseGroups() (all []string) {
	for _, c := range r.cases {
		if !slices.Contains(all, c.Group) {
			all = append(all, c.Group)
		}
	}
	return all
}
