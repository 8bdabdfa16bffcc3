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

// AuditMark is LoadGen's message that it applied an audit.config.
const AuditMark = "Found Audit Config file"

// AuditNote returns a log's message about an audit.config; empty: none.
func AuditNote(d *mllog.Detail) string {
	for _, e := range slices.Concat(d.Warnings, d.All("warning_generic_message"), d.All("generic_message")) {
		if text, _ := e.Text(); strings.HasPrefix(text, AuditMark) {
			return text
		}
	}
	return ""
}

// VerdictWord returns the last line of a script that compared two runs.
func VerdictWord(pass bool) string {
	if pass {
		return Pass + "\n\n"
	}
	return Fail + "\n\n"
}

// BoolText returns a boolean as Python prints it.
func BoolText(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// SeparatorLine is the line that separates parts of the scripts' output.
var SeparatorLine = strings.Repeat("=", 80)

// IsSplitByShell reports whether a path contains characters that break the official scripts, which pass paths to the
// shell unquoted.
func IsSplitByShell(paths ...string) bool {
	return strings.ContainsAny(strings.Join(paths, ""), " \t\n\"'`\\$&;|<>()*?#~![]{}")
}
