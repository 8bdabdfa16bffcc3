package audits

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// officialCase is what an official script did with logs.
type officialCase struct {
	Test   string
	Inputs map[string]string
	Ops    []treeops.Op
	Script string
	Args   []string
	Expect struct {
		Exit    int
		Stdout  string
		Written map[string]string
		Copied  map[string]string
		Verdict struct {
			Accuracy, Performance *bool
			Pass                  bool
		}
	}
}

// TestGoldenOfficial gives the official scripts' verdicts, texts and files for all their cases.
func TestGoldenOfficial(t *testing.T) {
	golden.Each(t, "audits/*/*/case.json", func(t *testing.T, path string) {
		var c officialCase
		golden.ReadJSON(t, path, &c)
		work := t.TempDir()
		if len(c.Inputs) > 0 {
			treeops.WriteLogs(t, work, c.Inputs)
		}
		treeops.Apply(t, work, c.Ops)
		t.Chdir(work)
		if c.Script == "create_accuracy_baseline.sh" {
			c.baseline(t)
			return
		}
		v, err := Verify(context.Background(), c.request(t))
		if err != nil {
			t.Fatal(err)
		}
		c.compare(t, v)
	})
}

// request is the request that the script's arguments make.
func (c officialCase) request(t *testing.T) Request {
	t.Helper()
	r := Request{Out: c.flag("-o", "--output_dir"), UnixMode: slices.Contains(c.Args, "--unixmode")}
	r.Request = audit.Request{
		Test: c.Test, DType: c.flag("--dtype", "-d"),
		Scenario: c.flag("-s", "--scenario"), EOS: c.flag("-e", "--eos_token_id"), AuditConfig: c.flag("--audit-config"),
		Command: c.flag("--accuracy-script"), Pattern: c.flag("--score-pattern"),
		Threshold: c.number(t, "--accuracy-threshold"), Tolerance: c.number(t, "--tolerance"),
		MinTokens: c.number(t, "--min-output-tokens"), MaxTokens: c.number(t, "--max-output-tokens"),
		Reference: audit.ResultLogs(c.flag("-r", "--results_dir")), Run: plainLogs(c.flag("-c", "--compliance_dir")),
	}
	switch {
	case c.Test == "TEST08":
		r.Reference = audit.Logs{Accuracy: c.flag("-r", "--reference_accuracy")}
		r.Run = audit.Logs{Accuracy: c.flag("-t", "--test_accuracy")}
	case c.Script == "verify_performance.py":
		r.Reference, r.Run = audit.Logs{Summary: c.flag("-r")}, audit.Logs{Summary: c.flag("-t")}
	}
	return r
}

// flag is the value of an argument by any of its names.
func (c officialCase) flag(names ...string) string {
	for _, name := range names {
		if i := slices.Index(c.Args, name); i >= 0 {
			return c.Args[i+1]
		}
	}
	return ""
}

func (c officialCase) number(t *testing.T, name string) *float64 {
	t.Helper()
	text := c.flag(name)
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

var stamp = regexp.MustCompile(`\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} `)

func plain(text string) string { return stamp.ReplaceAllString(text, "[<time> ") }

// inexact says that a text holds what is Python's own.
func inexact(text string) bool {
	return strings.Contains(text, "<traceback>") || strings.Contains(text, "<usage>")
}

func (c officialCase) compare(t *testing.T, v Verdict) {
	t.Helper()
	want := c.Expect
	if v.Pass != want.Verdict.Pass || v.Exit != want.Exit {
		t.Errorf("pass %v, exit %d, want %v, %d", v.Pass, v.Exit, want.Verdict.Pass, want.Exit)
	}
	for _, half := range []struct {
		got  audit.Outcome
		want *bool
	}{{v.Accuracy, want.Verdict.Accuracy}, {v.Performance, want.Verdict.Performance}} {
		if half.want != nil && half.got != audit.OutcomeOf(*half.want) {
			t.Errorf("accuracy %v, performance %v, want %v, %v", v.Accuracy, v.Performance,
				want.Verdict.Accuracy, want.Verdict.Performance)
		}
	}
	if got := plain(v.Stdout); !inexact(want.Stdout) && got != want.Stdout {
		t.Errorf("printed\n%s\nwant\n%s", got, want.Stdout)
	}
	c.compareFiles(t, v)
}

// compareFiles compares what is for the output folder with what the script puts there.
func (c officialCase) compareFiles(t *testing.T, v Verdict) {
	t.Helper()
	folder, logs := c.flag("-o", "--output_dir")+"/"+c.Test+"/", maps.Clone(v.Copies)
	texts := maps.Clone(v.Texts)
	for path, want := range c.Expect.Written {
		name, out := strings.CutPrefix(path, folder)
		if !out {
			continue // in the working directory, where the scripts leave their own
		}
		got, there := texts[name]
		if !there || !inexact(want) && plain(got) != want {
			t.Errorf("%s: there %v,\n%s\nwant\n%s", path, there, plain(got), want)
		}
		delete(texts, name)
	}
	for path, want := range c.Expect.Copied {
		name := strings.TrimPrefix(path, folder)
		if got := logs[name]; got != want {
			t.Errorf("%s: a copy of %q, want %s", path, got, want)
		}
		delete(logs, name)
	}
	if c.flag("-o", "--output_dir") != "" && len(texts)+len(logs) > 0 {
		t.Errorf("the script writes no %v, %v", texts, logs)
	}
}

func (c officialCase) baseline(t *testing.T) {
	t.Helper()
	var out strings.Builder
	if err := audit.Baseline(&out, c.Args[0], c.Args[1]); err != nil {
		t.Fatal(err)
	}
	for path, want := range c.Expect.Written {
		if got := out.String(); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, want)
		}
	}
	for path, from := range c.Expect.Copied {
		if want, err := os.ReadFile(from); err != nil || out.String() != string(want) {
			t.Errorf("%s:\n%s\nwant %s:\n%s", path, out.String(), from, want)
		}
	}
}

// plainLogs are the logs in a folder, by the paths that the scripts make of it.
func plainLogs(folder string) audit.Logs {
	return audit.Logs{Accuracy: evidence.JoinPaths(folder, tree.AccuracyLog),
		Detail:  evidence.JoinPaths(folder, tree.DetailLog),
		Summary: evidence.JoinPaths(folder, tree.SummaryLog)}
}

// TestGoldenVideos gives the official script's lines and verdicts for TEST04 of videos: summaries without other logs.
func TestGoldenVideos(t *testing.T) {
	golden.Each(t, "wan/test04*.json", func(t *testing.T, path string) {
		var all []struct {
			Name, Reference, Test string
			Stdout, Stderr        []string
		}
		golden.ReadJSON(t, path, &all)
		for _, c := range all {
			dir := t.TempDir()
			files := []string{filepath.Join(dir, "reference.txt"), filepath.Join(dir, "test.txt")}
			for i, text := range []string{c.Reference, c.Test} {
				if err := os.WriteFile(files[i], []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r := Request{Request: audit.Request{Test: "TEST04", Reference: audit.Logs{Summary: files[0]},
				Run: audit.Logs{Summary: files[1]}}}
			v, err := Verify(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			// the cases are of the script that judges alone, whose lines the other one repeats
			want := append(c.Stdout, c.Stderr...)
			got := strings.Split(v.Stdout, "\n")[1:]
			if !slices.Equal(got[:min(len(got), len(want))], want) || v.Pass != (want[len(want)-1] == "TEST PASS") {
				t.Errorf("%s: passes: %v, %q, want %q", c.Name, v.Pass, got, want)
			}
		}
	})
}
