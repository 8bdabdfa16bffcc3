package submission_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// resultTree copies a tree with one result.
func resultTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../../../../internal/submission/official/checker/testdata/small")); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestSubmissionResults(t *testing.T) {
	s := clitest.New(t)
	root := resultTree(t)
	s.Want(0, s.Run("submission", "results", root), "open/Lab/box", "71.167  ", "71.167025", "Latency (ms)", "acc 76.460",
		"1 result, 0 without")
	s.Want(3, s.Run("submission", "results", root, "--rules", "v6.0"), "0 results, 1 without")
	s.Want(0, s.Run("submission", "results", root, "--format", "json"), `"rounded": "71.167"`, `"official": "ok"`)
	file := filepath.Join(t.TempDir(), "summary.csv")
	s.Want(0, s.Run("submission", "results", root, "--format", "csv", "--out", file))
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"71.167025","acc: 76.460"`) {
		t.Errorf("%s (%v)", text, err)
	}
	s.Want(0, s.Run("submission", "results", root, "--format", "html", "-o", file+".html"))
	if text, err := os.ReadFile(file + ".html"); err != nil || !strings.Contains(string(text), "71.167025") {
		t.Errorf("%s (%v)", text, err)
	}
	if err := os.Remove(filepath.Join(root, "open/Lab/results/box/resnet50/SingleStream/README.md")); err != nil {
		t.Fatal(err)
	}
	s.Want(3, s.Run("submission", "results", root), "0 results, 1 without", "README.md is missing")
	s.Want(2, s.Run("submission", "results", root, "--format", "pdf"), "pdf")
	s.Want(2, s.Run("submission", "results", filepath.Join(root, "none")), "none")
	s.Want(2, s.Run("submission", "results", t.TempDir()), "no submission")
	s.Want(2, s.Run("submission", "results", root, "--submitter", "Lap"), "Lab")
}

func TestSubmissionResultsPrivateIDs(t *testing.T) {
	s := clitest.New(t)
	root := resultTree(t)
	s.Want(0, s.Run("submission", "results", root, "--private-ids", "--format", "json"), `"private_id": `)
	file := filepath.Join(root, "open/Lab/results/box/privateid.json")
	if _, err := os.Stat(file); err == nil {
		t.Error("the id was written without being asked for")
	}
	s.Want(0, s.Run("submission", "results", root, "--write-private-ids"))
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

func TestSubmissionCheckCompatible(t *testing.T) {
	s := clitest.New(t)
	root := resultTree(t)
	file := filepath.Join(t.TempDir(), "summary.csv")
	s.Want(0, s.Run("submission", "check", root, "--compatible", "--csv", file), "official: ok, by the rules v6.1",
		"1 result, 0 without")
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%s (%v)", text, err)
	}
	readme := filepath.Join(root, "open/Lab/results/box/resnet50/SingleStream/README.md")
	if err := os.WriteFile(readme, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Want(1, s.Run("submission", "check", root, "--compatible"), "official: errors", "README.md is empty")
	s.Want(0, s.Run("submission", "check", root, "--compatible", "--skip-empty-files-check"), "official: ok")
	if err := os.Remove(filepath.Join(root, "open/Lab/systems/box.json")); err != nil {
		t.Fatal(err)
	}
	s.Want(1, s.Run("submission", "check", root, "--compatible", "--json", "--csv", file+"2"), `"official": "crash"`,
		`"folder": "open/Lab/systems/box.json"`)
	if _, err := os.Stat(file + "2"); err == nil {
		t.Error("a summary of a crash")
	}
	s.Want(2, s.Run("submission", "check", root, "--csv", file), "--compatible")
}

func TestSubmissionReport(t *testing.T) {
	s := clitest.New(t)
	dir := t.TempDir()
	summary := filepath.Join(dir, "summary.csv")
	s.Want(0, s.Run("submission", "results", resultTree(t), "--format", "csv", "--out", summary))
	for range 2 { // the second time the number stays
		s.Want(0, s.Run("submission", "report", summary, "--out", filepath.Join(dir, "report")),
			"wrote summary_results.json, ids.json and 1 table")
	}
	for name, want := range map[string]string{
		"ids.json": `"edge/open/Lab/box/resnet50": 1`, "summary_results.json": `"Performance_Result": 71.167025`,
		"summary - edge - open.csv": "6.1-0001,edge/open/Lab/box/resnet50,",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, "report", name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, want %s (%v)", name, text, want, err)
		}
	}
	s.Want(2, s.Run("submission", "report", summary), "--out")
	s.Want(6, s.Run("submission", "report", filepath.Join(dir, "none"), "--out", dir), "none")
}
