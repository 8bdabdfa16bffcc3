package results_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
)

// published is a made-up tree of results of a round, and the folder of one system in it.
func published(t *testing.T, round string) (root, system string) {
	t.Helper()
	root = t.TempDir()
	treetest.Write(t, root, round,
		treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000, System: "one"},
		treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 2000, System: "two"},
		treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 3000, System: "one", Submitter: "Works",
			Division: "open", Accuracy: 12},
		treetest.Result{Benchmark: "3d-unet-99", Scenario: "Offline", Value: 3, System: "one", Accuracy: 0.1})
	return root, filepath.Join(root, "closed", "Lab", "results", "one")
}

// TestReportOfPublishedResults reads a repository of results: names of folders, the round, accuracies.
func TestReportOfPublishedResults(t *testing.T) {
	s := clitest.New(t)
	root, system := published(t, "v5.1")
	s.Want(0, s.Run("report", root), "resnet50 Offline performance", "Lab/one: ", "Works/one: ", "TEST01", "PASS",
		"DICE 0.10000 is below 0.85308", "BELOW TARGET", "no target: the open division has none")
	s.Want(0, s.Run("report", system), "Lab/one: resnet50 SingleStream accuracy", "1000.0 samples/s")
	page := filepath.Join(t.TempDir(), "page.html")
	s.Want(0, s.Run("report", root, "--html", page))
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<tr class="group"><th scope="colgroup" colspan="4" dir="auto">3d-unet-99: `,
		"resnet50: ", "v5.1, by the seeds of the logs"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestReportOfManyRuns leaves out none without a word: of more than 300 runs each has a line.
func TestReportOfManyRuns(t *testing.T) {
	root, _ := published(t, "v5.1")
	log := filepath.Join("performance", "run_1", "mlperf_log_detail.txt")
	text, err := os.ReadFile(filepath.Join(root, "closed/Lab/results/one/resnet50/Offline", log))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 310 {
		dir := filepath.Join(root, "open/Works/results", "box"+strings.Repeat("x", i%30)+string(rune('a'+i/30)),
			"resnet50/Offline/performance/run_1")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "mlperf_log_detail.txt"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := clitest.New(t)
	s.Want(0, s.Run("report", root), "Of more than 300 runs each has a line")
	if n := strings.Count(s.Stdout.String(), "Works/box"); n != 310 {
		t.Errorf("%d of 310 runs have a line", n)
	}
}

// TestComparePublishedResults compares logs of the official LoadGen: systems with each other, and rounds.
func TestComparePublishedResults(t *testing.T) {
	s := clitest.New(t)
	root, one := published(t, "v5.1")
	two := filepath.Join(filepath.Dir(one), "two")
	s.Want(0, s.Run("compare", one, two), "resnet50 Offline performance", "machine", "Lab/one -> Lab/two", "+100.0 %")
	older, _ := published(t, "v5.0")
	s.Want(2, s.Run("compare", older, root), "rules differs", "v5.0")
	s.Want(0, s.Run("compare", older, root, "--allow-unlike", "rules,settings,loadgen"),
		"Lab/two: resnet50 Offline performance",
		"Works/one: resnet50 Offline performance")
	s.Want(0, s.Run("compare", one, root), "Lab/one: resnet50 Offline performance: 1 run against 1", "only in ")
	mine := filepath.Join(t.TempDir(), "mine", "resnet50", "Offline")
	if err := os.CopyFS(mine, os.DirFS(filepath.Join(one, "resnet50", "Offline"))); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("compare", mine, two), "machine", "mine -> Lab/two", "+100.0 %")
	s.Want(2, s.Run("compare", mine, root), "runs of one side differ in machine", "Lab/one", "Lab/two")
	s.Want(6, s.Run("compare", one, t.TempDir()), "neither result.json nor mlperf_log_detail.txt")
}

// TestScoreOfASubmission: the folder of a benchmark says which model a log is of, under the rules' name too.
func TestScoreOfASubmission(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "accuracy", "--out", s.Out()))
	from := filepath.Join(s.Out(), "resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json")
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	for benchmark, want := range map[string]struct {
		code int
		said string
	}{"resnet50": {0, "accuracy"}, "resnet": {0, "accuracy"}, "my-net": {2, "no model is of a benchmark called my-net"}} {
		dir := filepath.Join(t.TempDir(), "closed", "Lab", "results", "box", benchmark, "Offline", "accuracy")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(from)), text, 0o644); err != nil {
			t.Fatal(err)
		}
		s.Want(want.code, s.Run("score", filepath.Join(dir, "..", "..", "..")), want.said)
	}
}
