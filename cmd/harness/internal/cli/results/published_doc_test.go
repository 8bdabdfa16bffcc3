package results_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
)

// TestPublishedPage gives the commands of docs/published.md, one after the other, in a folder where git clone leaves
// made-up results of the round that the repository's name says. What the page shows of a ranking is what one prints.
func TestPublishedPage(t *testing.T) {
	text, err := os.ReadFile("../../../../../docs/published.md")
	if err != nil {
		t.Fatal(err)
	}
	s := clitest.New(t)
	t.Chdir(s.Dir)
	cloned, ran := 0, 0
	said := ""
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n    ", "")) {
		line, isCode := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		if !isCode {
			continue
		}
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "git clone "):
			clone(t, path.Base(words[len(words)-1]))
			cloned++
		case strings.HasPrefix(line, "harness "):
			s.Want(0, s.Run(words[1:]...))
			said += s.Stdout.String()
			ran++
		case strings.TrimSpace(line) != "":
			if _, after, is := strings.Cut(line, "1326.2"); is {
				line = after // the figure is the machine's
			}
			if !strings.Contains(oneLine(said), oneLine(line)) {
				t.Errorf("no command has printed %q", line)
			}
		}
	}
	if cloned < 2 || ran < 12 {
		t.Errorf("%d repositories, %d commands", cloned, ran)
	}
	for _, file := range []string{"v6.0.html", "results.html", "rank.html", "rank.csv"} {
		if info, err := os.Stat(file); err != nil || info.Size() < 200 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// oneLine is a text without what lines are broken by: the length of a figure decides it.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// clone writes results of a round, with which any run of a test is the slowest.
func clone(t *testing.T, name string) {
	t.Helper()
	fast := func(system string, value float64) treetest.Result {
		return treetest.Result{Submitter: "SUBMITTER", System: system, Benchmark: "resnet50", Scenario: "Offline",
			Value: value, Accelerator: "Accel X", Accelerators: 2, Watts: 100}
	}
	results := []treetest.Result{fast("SYSTEM", 1e9), fast("second", 3e9)}
	if strings.HasSuffix(name, "v6.0") {
		results = append(results, fast("third", 5e9))
	}
	treetest.Write(t, name, strings.TrimPrefix(name, "inference_results_"), results...)
}
