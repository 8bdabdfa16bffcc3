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
	// Accuracy and Performance are the verdicts on each half, where the test has it.
	Accuracy, Performance Outcome
	// Reasons are all faults that were found; there are none of an audit that passes.
	Reasons []Reason
	// Notes are worth knowing, and are no faults.
	Notes []string
	// Texts are the verdict's own files, by their names in the audit's folder: "verify_accuracy.txt".
	Texts map[string]string
	// Copies are the logs that belong into the audit's folder: the path there, with slashes, and where the log lies.
	Copies map[string]string
}

// Outcome is the result of one half of a test.
type Outcome int

// What becomes of one half of a test: accuracy or performance.
const (
	NotJudged Outcome = iota
	Passed
	Failed
)

func (o Outcome) String() string { return [...]string{"not judged", "pass", "fail"}[o] }

// OutcomeOf is Passed or Failed.
func OutcomeOf(ok bool) Outcome {
	if ok {
		return Passed
	}
	return Failed
}

// Missing says whether a log that is needed is not there, or not whole.
func (v Verdict) Missing() bool {
	return slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Missing })
}

// Reason is one fault, with the values found and expected, advice, and the rule that requires it.
type Reason struct {
	Check string `json:"check"` // a short name that stays: "score-band"
	File  string `json:"file,omitempty"`
	Found string `json:"found"`
	Want  string `json:"want"`
	Do    string `json:"do"`
	Rule  string `json:"rule"`
	// Missing says that a log is not there, or not whole, so that nothing could be judged by it.
	Missing bool `json:"missing"`
}

// String is the fault in one line.
func (r Reason) String() string {
	var b strings.Builder
	if r.File != "" {
		b.WriteString(r.File + ": ")
	}
	fmt.Fprintf(&b, "%s; want %s: %s", r.Found, r.Want, r.Do)
	if r.Rule != "" {
		fmt.Fprintf(&b, " (%s)", r.Rule)
	}
	return b.String()
}

var errIrregular = errors.New("not a regular file")

// logCopies are the logs of a run as the folder of a test has them.
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
