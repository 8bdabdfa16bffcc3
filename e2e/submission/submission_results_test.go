package submission

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestSubmissionResultsGolden makes the official summary of the reference trees with both commands that write it.
func TestSubmissionResultsGolden(t *testing.T) {
	for _, base := range []string{"edge", "datacenter"} {
		root := t.TempDir()
		untar(t, filepath.Join(golden.Root(t), "submission", "base", base+".tar.gz"), root)
		file := filepath.Join(t.TempDir(), "summary.csv")
		harness.Run(t, "submission", "check", root, "--compatible", "--csv", file).WantCode(t, 0).
			WantOutput(t, "official: ok, by the rules v6.1")
		harness.Run(t, "submission", "results", root, "--format", "csv", "--out", file+"2").WantCode(t, 0)
		first, err := os.ReadFile(file)
		second, err2 := os.ReadFile(file + "2")
		if want := summaryOf(t, base); err != nil || err2 != nil || string(first) != want || string(second) != want {
			t.Errorf("%s and %s, want %s (%v, %v)", first, second, want, err, err2)
		}
	}
}

// summaryOf returns the official summary of a reference tree.
func summaryOf(t *testing.T, base string) string {
	t.Helper()
	name := map[string]string{"edge": "good", "datacenter": "dc_good"}[base]
	var c struct {
		Official struct {
			CSV string `json:"csv_text"`
		}
	}
	golden.ReadJSON(t, filepath.Join(golden.Root(t), "submission", "check", name+".json"), &c)
	return c.Official.CSV
}
