package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFormatsDoc checks that docs/log-formats.md contains every verdict and status.
func TestFormatsDoc(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "log-formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := rows(string(text))
	unfinished := record("Offline", "performance")
	unfinished.Begin()
	above := scored(verdict("ABOVE LIMIT", ""))
	all := runs()
	all["unfinished"], all["accuracy-above"], all["served"] = unfinished, above, served()
	for _, holds := range []bool{true, false} {
		judged := served()
		judged.Serving.Holds = &holds
		judged.Finish(nil)
		all[judged.Verdict] = judged
	}
	for name, run := range all {
		kind, _, _ := strings.Cut(run.Verdict, " (")
		if !strings.Contains(said["verdict"], `"`+kind+`"`) {
			t.Errorf("%s: the verdict %q is not listed", name, kind)
		}
		if !strings.Contains(said["status"], `"`+string(run.Status)+`"`) {
			t.Errorf("%s: the status %q is not listed", name, run.Status)
		}
	}
	if strings.Contains(said["verdict"], "ABORTED") {
		t.Error("a verdict is listed that no run has")
	}
}

// rows returns the rows of a document's tables by the name in their first cell.
func rows(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			all[strings.Trim(cells[1], " `")] = cells[2]
		}
	}
	return all
}
