package runs_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestCIReport runs a model with a condition that is met and one that is not, and reads the three files.
func TestCIReport(t *testing.T) {
	s := clitest.New(t)
	markdown, junit := filepath.Join(s.Dir, "summary.md"), filepath.Join(s.Dir, "junit.xml")
	step := s.File("step.md", "the step before\n")
	s.Env[shell.EnvStepSummary] = step
	s.Want(3, s.Run("run", "resnet50", "--scenario", "Offline", "--out", s.Out(), "--fail-if", "Offline.result > 0",
		"--fail-if", "accuracy < 0 %", "--markdown", markdown, "--junit", junit))
	text := testfile.Read(t, markdown)
	for _, want := range []string{
		"## harness run resnet50\n", "**failed** Offline.result &gt; 0", "resnet50 Offline performance",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if got := testfile.Read(t, step); got != "the step before\n"+text {
		t.Errorf("the summary of the step:\n%s", got)
	}
	var file struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(testfile.Read(t, junit)), &file); err != nil {
		t.Fatal(err)
	}
	counts := map[string][2]int{}
	for _, suite := range file.Suites {
		counts[suite.Name] = [2]int{suite.Tests, suite.Failures}
	}
	if counts["run"] != [2]int{2, 0} || counts["fail-if"] != [2]int{2, 1} {
		t.Errorf("cases and failures: %v", counts)
	}
}

// TestCIReportOfFaults has errors before any run in the report, and refuses files before anything runs.
func TestCIReportOfFaults(t *testing.T) {
	s := clitest.New(t)
	junit := filepath.Join(s.Dir, "junit.xml")
	s.Want(2, s.Run("run", "unknown", "--out", s.Out(), "--junit", junit))
	if text := testfile.Read(t, junit); !strings.Contains(text, `<error message=`) || !strings.Contains(text, "unknown") {
		t.Errorf("the error is not in:\n%s", text)
	}
	for _, bad := range [][]string{
		{"--markdown", filepath.Join(s.Dir, "none", "x.md"), "--junit", junit},
		{"--junit", s.Dir},
		{"--junit", junit, "--markdown", junit},
	} {
		s.Want(2, s.Run(append([]string{"run", "resnet50", "--out", s.Out("bad")}, bad...)...))
		if _, err := os.Stat(s.Out("bad")); err == nil {
			t.Errorf("%v ran", bad)
		}
	}
	s.Env[shell.EnvStepSummary] = s.Dir
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--out", s.Out("good")))
	if !strings.Contains(s.Stderr.String(), "the summary of this step is not written") {
		t.Errorf("not said: %s", s.Stderr.String())
	}
}
