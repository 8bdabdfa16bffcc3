package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
)

// The worst detections of an accuracy run are kept beside its log, and the report shows them; a repeated scoring writes
// the same.
func TestReportShowsExhibits(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	harness.Run(t, "run", "retinanet", "--scenario", "Offline", "--mode", "accuracy", "--count", "10", "--quiet",
		"--out", out).WantCode(t, 0)
	dir := filepath.Join(out, "retinanet", "Offline", "accuracy")
	index, err := os.ReadFile(filepath.Join(dir, "exhibits", "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(index), `.png"`); n != 10 || !strings.Contains(string(index), "objects (green) found") {
		t.Errorf("%d pictures: %s", n, index)
	}
	page := filepath.Join(out, "report.html")
	harness.Run(t, "report", out, "--html", page).WantCode(t, 0)
	text, err := os.ReadFile(page)
	if err != nil || strings.Count(string(text), `<img src="data:image/png;base64,`) != 10 {
		t.Errorf("the page of %d bytes shows other pictures: %v", len(text), err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "exhibits")); err != nil {
		t.Fatal(err)
	}
	harness.Run(t, "score", dir).WantCode(t, 0)
	again, err := os.ReadFile(filepath.Join(dir, "exhibits", "index.json"))
	if err != nil || string(again) != string(index) {
		t.Errorf("scored again: %v, %s", err, again)
	}
}
