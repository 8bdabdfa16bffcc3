package submission

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
)

// written is a report as people read it, without the verdict.
func written(t *testing.T, r *check.Report) string {
	t.Helper()
	var b strings.Builder
	if err := writeReport(&b, r); err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(b.String(), "\n\n")
	return text
}

// TestFindingsAreLines: whatever the values of a finding hold, it is one line and one of what to do.
func TestFindingsAreLines(t *testing.T) {
	for value, want := range map[string]string{
		"plain":              "plain",
		"two\nlines":         `"two\nlines"`,
		"a\r\nb":             `"a\r\nb"`,
		"tab\there":          `"tab\there"`,
		"bell\a":             `"bell\a"`,
		"esc\x1b[31mred":     `"esc\x1b[31mred"`,
		"nul\x00":            `"nul\x00"`,
		"line\u2028end":      `"line\u2028end"`,
		"not \xff UTF-8":     "\"not \ufffd UTF-8\"",
		`"in quotes"`:        `"in quotes"`,
		"Größe, 5 µs, 日本":    "Größe, 5 µs, 日本",
		"ends with a line\n": `"ends with a line\n"`,
	} {
		r := &check.Report{Results: []check.Result{{Path: "closed/Lab/results/box/m/Offline"}}, Findings: []check.Finding{{
			Severity: check.Reject, Rule: "files", Path: "closed/Lab/results/box/m/Offline/x",
			Result: "closed/Lab/results/box/m/Offline",
			What:   "a fault", Found: value, Expected: "another", Do: "mend it"}}}
		got := strings.Split(written(t, r), "\n")
		if want == "\"not \ufffd UTF-8\"" {
			want = got[1][strings.Index(got[1], "found ")+6 : strings.Index(got[1], "; expected")] // how it is quoted is Go's
		}
		if len(got) != 3 || got[1] != "  reject files  x: a fault; found "+want+"; expected another" {
			t.Errorf("%q: got %q", value, got)
		}
	}
}

// TestFloodsAreSummedUp: of many findings alike the first are told, and those of many results once.
func TestFloodsAreSummedUp(t *testing.T) {
	report := func(results, each int, severity check.Severity, file string) *check.Report {
		r := &check.Report{}
		for i := range results {
			folder := fmt.Sprintf("closed/Lab/results/box/m%d/Offline", i)
			r.Results = append(r.Results, check.Result{Path: folder})
			for n := range each {
				r.Findings = append(r.Findings, check.Finding{Severity: severity, Rule: "files", Result: folder,
					Path: folder + "/" + strings.ReplaceAll(file, "N", fmt.Sprint(n)), What: "a fault", Do: "mend it"})
			}
		}
		return r
	}
	for _, c := range []struct {
		name     string
		r        *check.Report
		findings int // that are told
		more     string
	}{
		{"three rejects", report(1, 3, check.Reject, "N.txt"), 3, ""},
		{"four rejects", report(1, 4, check.Reject, "N.txt"), 3, "and 1 more like it"},
		{"many rejects", report(1, 91, check.Reject, "N.txt"), 3, "and 88 more like it"},
		{"rejects of many results", report(5, 1, check.Reject, "x.txt"), 5, ""},
		{"notes of three results", report(3, 1, check.Note, "README.md"), 3, ""},
		{"notes of four results", report(4, 1, check.Note, "README.md"), 1,
			"x 4, the first in closed/Lab/results/box/m0/Offline"},
		{"notes of 26 results", report(26, 1, check.Note, "README.md"), 1, "x 26"},
		{"warnings of 26 results", report(26, 1, check.Warn, "README.md"), 1, "x 26"},
		{"several of many results", report(5, 2, check.Warn, "N.md"), 2, "x 5"},
		{"many warnings of one result", report(1, 7, check.Warn, "N.md"), 3, "and 4 more like it"},
	} {
		text := written(t, c.r)
		if n := strings.Count(text, "to do: mend it"); n != c.findings || !strings.Contains(text, c.more) {
			t.Errorf("%s: %d findings are told, want %d and %q:\n%s", c.name, n, c.findings, c.more, text)
		}
		for _, result := range c.r.Results {
			if !strings.Contains(text, result.Path+"  ") {
				t.Errorf("%s: no line of %s", c.name, result.Path)
			}
		}
	}
}
