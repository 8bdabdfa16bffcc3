package evidence

import (
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// The words of the official verdicts.
const (
	Pass = "TEST PASS"
	Fail = "TEST FAIL"
)

// AuditMark is how LoadGen says that it applied an audit.config.
const AuditMark = "Found Audit Config file"

// AuditNote is what a log says of an audit.config; empty: nothing.
func AuditNote(d *mllog.Detail) string {
	for _, e := range slices.Concat(d.Warnings, d.All("warning_generic_message"), d.All("generic_message")) {
		if text, _ := e.Text(); strings.HasPrefix(text, AuditMark) {
			return text
		}
	}
	return ""
}

// Word is how a script ends that compared two runs.
func Word(pass bool) string {
	if pass {
		return Pass + "\n\n"
	}
	return Fail + "\n\n"
}

// Bool is a truth value as Python prints it.
func Bool(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// Rule is the line that the scripts draw between parts of what they print.
var Rule = strings.Repeat("=", 80)

// SplitByShell says whether the official scripts, which give paths to the shell as they are, lose one of them.
func SplitByShell(paths ...string) bool {
	return strings.ContainsAny(strings.Join(paths, ""), " \t\n\"'`\\$&;|<>()*?#~![]{}")
}
