package submission_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

func TestSubmissionCheck(t *testing.T) {
	s := clitest.New(t)
	root, _ := scored(t)
	s.Want(3, s.Run("submission", "check", root), "closed/Lab/results/box/resnet50/Offline  resnet Offline reject",
		"reject files  performance/run_1/mlperf_log_detail.txt: a log is missing", "to do: add the run's logs",
		"1 result: 0 accepted, 0 with warnings, 1 rejected", "verdict by the rules v6.1: reject")
	s.Want(3, s.Run("submission", "check", root, "--submitter", "Lab", "--rules", "v6.0"), "verdict by the rules v6.0")
}

func TestSubmissionCheckAsJSON(t *testing.T) {
	s := clitest.New(t)
	root, _ := scored(t)
	markdown, junit := filepath.Join(s.Dir, "summary.md"), filepath.Join(s.Dir, "junit.xml")
	s.Want(3, s.Run("submission", "check", root, "--json", "--markdown", markdown, "--junit", junit))
	testfile.RequireText(t, "### Findings\n\n| severity | rule | path |", markdown)
	testfile.RequireText(t, `name="closed/Lab/results/box/resnet50/Offline"`, junit)
	var report check.Report
	if err := json.Unmarshal([]byte(s.Stdout.String()), &report); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(report.Findings, func(f check.Finding) bool { return f.Rule == "hash" })
	if report.Verdict != check.Rejected || report.Rejects == 0 || len(report.Results) != 1 || at < 0 {
		t.Fatalf("got %+v", report)
	}
	f := report.Findings[at]
	if f.Path == "" || f.Result != report.Results[0].Path || f.Source == "" || f.Do == "" || f.Severity != check.Reject {
		t.Errorf("a finding is not whole: %+v", f)
	}
}

func TestSubmissionCheckOfNothing(t *testing.T) {
	s := clitest.New(t)
	root, _ := scored(t)
	s.Want(2, s.Run("submission", "check", t.TempDir()), "no submission in")
	s.Want(2, s.Run("submission", "check", filepath.Join(root, "none")), "none")
	s.Want(2, s.Run("submission", "check", root, "--submitter", "Nobody"), `unknown submitter "Nobody"`, "known: Lab")
	s.Want(3, s.Run("submission", "check", root, "--rules", "v1.0"), "by the rules v1.0: reject")
	s.Want(2, s.Run("submission", "check", root, "--rules", "v9.9"), "v6.1")
}
