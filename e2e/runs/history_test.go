package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestHistoryOfSeveralModels runs several models with one command, twice, collects the results, and shows their
// history: those of the file, which has a cut line, and those of the folders.
func TestHistoryOfSeveralModels(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "results.jsonl")
	for i, commit := range []string{"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"} {
		t.Setenv("GITHUB_SHA", commit)
		out := filepath.Join(dir, commit[:1])
		harness.Run(t, "run", "honest", "keeping", "--plugin-dir", built.Cheater(), "--scenario", "Offline", "--mode",
			"performance", "--label", "nightly", "--out", out, "--append", file, "--quiet").
			WantCode(t, 0).WantOutput(t, "honest", "keeping")
		if n := strings.Count(testfile.Read(t, file), "\n"); n != i+1 {
			t.Fatalf("%d lines after %d commands", n, i+1)
		}
	}
	testfile.RequireText(t, `"suite": "honest, keeping"`, dir, "a", "result.json")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"schema": "plumb`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	page, badge, rows := filepath.Join(dir, "h.html"), filepath.Join(dir, "b.svg"), filepath.Join(dir, "h.csv")
	harness.Run(t, "history", file, "--html", page, "--badge", badge, "--csv", rows).WantCode(t, 0).
		WantOutput(t, "honest Offline performance", "keeping Offline performance", "aaaaaaaaaaaa ", "nightly", "first",
			"no verdict", "line 3: ")
	testfile.RequireText(t, "bbbbbbbbbbbb</bdi></td>", page)
	testfile.RequireText(t, "2 benchmarks: 2 no verdict", badge)
	if lines := strings.Split(strings.TrimSpace(testfile.Read(t, rows)), "\n"); len(lines) != 5 {
		t.Errorf("%d lines of CSV, want a head and four entries", len(lines))
	}
	harness.Run(t, "history", dir).WantCode(t, 0).WantOutput(t, "honest Offline performance", "nightly")
	for says, args := range map[string][]string{
		"want a name that ends in .jsonl": {"run", "honest", "--append", "results.txt"},
		"honest is named twice":           {"run", "honest", "honest"},
		"cannot be meant for each":        {"run", "honest", "keeping", "--model", "x.onnx"},
	} {
		r := harness.Run(t, append(args, "--plugin-dir", built.Cheater())...).WantCode(t, 2)
		harness.WantParts(t, r.Stderr, says)
	}
}
