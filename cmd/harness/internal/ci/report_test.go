package ci

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/table"
)

// made is a report with a case of each outcome, and names that are markup elsewhere.
func made() *Report {
	r := &Report{}
	r.AddRuns([]record.Run{
		{Model: "good|<b>", Scenario: "Offline", Mode: "performance", Status: record.Complete, Verdict: "VALID"},
		{
			Model: "slow", Scenario: "Server", Mode: "performance", Status: record.Complete, Verdict: "INVALID", ExitCode: 3,
			Reasons: []record.Reason{{Rule: "min_duration", Measured: "2 s", Needed: "600 s"}},
		},
		{Model: "gone", Scenario: "Offline", Mode: "accuracy", Status: record.Failed, Verdict: "FAILED", ExitCode: 5,
			Messages: []record.Message{{Text: "the plugin ended"}}},
		{Model: "left", Scenario: "Offline", Mode: "accuracy", Status: record.NotRun, Verdict: "NOT RUN", ExitCode: 6},
	})
	r.AddCondition("p99 > 12ms", []string{"p99 > 12ms: slow Server 14 ms"})
	r.AddCondition("failed > 0", nil)
	r.AddFault("harness run slow", errors.New("first line\nsecond line"))
	return r
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := made().WriteMarkdown(&b, "harness run slow"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## harness run slow\n\n2 passed, 2 failed, 2 error, 1 skipped\n",
		"- **failed** p99 &gt; 12ms: p99 &gt; 12ms: slow Server 14 ms",
		"- **error** harness run slow: first line",
		`| good\|&lt;b&gt; Offline performance | VALID |`,
		`| slow Server performance | INVALID |  |  | min\_duration: 2 s, needed 600 s |`,
		"| --- | --- | --- | --- | --- |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

func TestJUnit(t *testing.T) {
	var b strings.Builder
	if err := made().WriteJUnit(&b, "harness run slow"); err != nil {
		t.Fatal(err)
	}
	var file junitSuites
	if err := xml.Unmarshal([]byte(b.String()), &file); err != nil {
		t.Fatal(err)
	}
	got := map[string][4]int{}
	for _, s := range file.Suites {
		got[s.Name] = [4]int{s.Tests, s.Failures, s.Errors, s.Skipped}
		if s.Tests != len(s.Cases) {
			t.Errorf("%s: %d cases, tests=%d", s.Name, len(s.Cases), s.Tests)
		}
	}
	want := map[string][4]int{"run": {4, 1, 1, 1}, "fail-if": {2, 1, 0, 0}, "command": {1, 0, 1, 0}}
	for name, counts := range want {
		if got[name] != counts {
			t.Errorf("%s: tests, failures, errors, skipped = %v, want %v", name, got[name], counts)
		}
	}
	if c := file.Suites[0].Cases[1]; c.Failure == nil || c.Failure.Message != "INVALID: min_duration: 2 s, needed 600 s" {
		t.Errorf("an INVALID run: %+v", c)
	}
}

// TestNoReport adds to a report that was not requested.
func TestNoReport(t *testing.T) {
	var r *Report
	r.AddRuns([]record.Run{{}})
	r.AddCondition("p99 > 1ms", nil)
	r.AddFault("harness", errors.New("x"))
	r.AddTable("", &table.Table{})
}

func TestFindingsAreBounded(t *testing.T) {
	r, list := &Report{}, NewFindingList("what")
	for range maxFindings + 7 {
		list.Add("x")
	}
	r.AddFindings(list, "Rejected.")
	var b strings.Builder
	if err := r.WriteMarkdown(&b, "harness"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "| x |"); n != maxFindings || !strings.Contains(b.String(), "7 more findings") {
		t.Errorf("%d rows:\n%.200s", n, b.String())
	}
}

// FuzzMarkdown wants a table whose text cannot add a cell, a line or an element.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{"a|b", "a\nb", "<img src=x>", "\\|", "@all", "\x1b[0m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows := &table.Table{}
		rows.Head("one", "two")
		rows.Row(text, "x")
		var b strings.Builder
		if err := rows.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		bare := strings.ReplaceAll(strings.ReplaceAll(b.String(), `\\`, ""), `\|`, "")
		if len(lines) != 4 || strings.Count(bare, "|") != 9 || strings.ContainsAny(b.String(), "<>") {
			t.Errorf("%q makes:\n%s", text, b.String())
		}
	})
}
