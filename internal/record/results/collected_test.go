package results_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// Runs are added on separate lines, whatever the end of the file is. A truncated line, or one of a newer version, does
// not affect other lines.
func TestCollected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	run := func(dir string) record.Run {
		return record.Run{Model: "m", Scenario: "Offline", Mode: "performance", Started: at, Dir: dir}
	}
	add := func(commit string, runs ...record.Run) {
		t.Helper()
		if err := results.AppendCollected(path, commit, runs); err != nil {
			t.Fatal(err)
		}
	}
	add("c1", run("a"), run("b")) // two runs with the same second
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	newer := `{"schema": "plumbline.result", "schema_version": 99}` + "\n"
	if _, err := file.WriteString(newer + `{"schema": "plumbl`); err != nil {
		t.Fatal(err)
	}
	file.Close()
	add("c2", run("a"), run("c")) // the first line already contains a
	s, err := results.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, r := range s.Runs {
		found = append(found, r.Dir+" "+r.Commit)
	}
	if got := strings.Join(found, ", "); got != "a c1, b c1, c c2" {
		t.Errorf("read %s", got)
	}
	if len(s.Skipped) != 2 || !strings.Contains(s.Skipped[0], "line 2: ") || !strings.Contains(s.Skipped[0], "newer") ||
		!strings.Contains(s.Skipped[1], "line 3: ") {
		t.Errorf("left out: %q", s.Skipped)
	}
	if err := os.WriteFile(path, []byte("\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Read(path); err == nil || !strings.Contains(err.Error(), "--append") {
		t.Errorf("an empty file: %v", err)
	}
}
