package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Verdict is the result of an audit.
type Verdict struct {
	Test string
	Pass bool
	// Folder is the name of the verdict's folder in the scenario's folder; empty: the test's name.
	Folder string
	// Accuracy and Performance are the results of the halves; NotJudged if the test has no such half.
	Accuracy, Performance Outcome
	// Reasons contains all faults. It is empty if the audit passes.
	Reasons []Reason
	// Notes contains remarks that are not faults.
	Notes []string
	// Texts contains the texts of the verdict's own files by their names in the audit's folder, such as
	// "verify_accuracy.txt".
	Texts map[string]string
	// Copies contains the logs that belong in the audit's folder: their slash-separated paths there, mapped to their
	// present paths.
	Copies map[string]string
}

// Outcome is the result of one half of a test.
type Outcome int

// The results of one half of a test, accuracy or performance.
const (
	NotJudged Outcome = iota
	Passed
	Failed
)

func (o Outcome) String() string { return [...]string{"not judged", "pass", "fail"}[o] }

// OutcomeOf returns Passed or Failed.
func OutcomeOf(ok bool) Outcome {
	if ok {
		return Passed
	}
	return Failed
}

// LacksLog reports whether a required log is missing or incomplete.
func (v Verdict) LacksLog() bool {
	return slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Missing })
}

// Reason is one fault with the found and expected values, advice, and the rule.
type Reason struct {
	Check  string `json:"check"` // stable short name, such as "score-band"
	File   string `json:"file,omitempty"`
	Found  string `json:"found"`
	Want   string `json:"want"`
	Advice string `json:"do"`
	Rule   string `json:"rule"`
	// Missing states that a log is missing or incomplete, so it could not be judged.
	Missing bool `json:"missing"`
}

// String returns the fault as a single line.
func (r Reason) String() string {
	var b strings.Builder
	if r.File != "" {
		b.WriteString(r.File + ": ")
	}
	fmt.Fprintf(&b, "%s; want %s: %s", r.Found, r.Want, r.Advice)
	if r.Rule != "" {
		fmt.Fprintf(&b, " (%s)", r.Rule)
	}
	return b.String()
}

var errIrregular = errors.New("not a regular file")

// logCopies maps paths in a test's folder to the logs of a run.
func logCopies(test string, run Logs) map[string]string {
	files, list := tree.FilesOf(test), map[string]string{}
	if files.Accuracy {
		list[tree.AccuracyDir+"/"+tree.AccuracyLog] = run.Accuracy
	}
	if files.Performance {
		list[tree.PerformanceDir+"/"+tree.RunDir+"/"+tree.SummaryLog] = run.Summary
		list[tree.PerformanceDir+"/"+tree.RunDir+"/"+tree.DetailLog] = run.Detail
	}
	return list
}
