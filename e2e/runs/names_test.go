package runs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// suiteOfSix has six runs that differ only in their points, with few queries that are quick on any machine.
const suiteOfSix = `
defaults: {mode: performance, scenario: SingleStream, set: {min_duration: 0, min_query_count: 64}}
runs:
- {run: "null", label: LABEL, matrix: {batch: [1, 4, 8], sessions: [1, 2]}}
`

// TestNamesOfSixRuns runs a suite with a matrix of six twice, and reads the six names in its table, its events, the
// report, its pictures and the comparison.
func TestNamesOfSixRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"base", "new"} {
		file := testfile.Write(t, in(name+".yaml"), strings.ReplaceAll(suiteOfSix, "LABEL", name))
		r := harness.Run(t, "run", file, "--out", in(name), "--events", in(name+".jsonl"), "--quiet").WantCode(t, 0)
		for _, point := range sixPoints() {
			r.WantOutput(t, "  "+name+": null "+point+" ")
		}
	}
	var told []string
	for line := range strings.Lines(testfile.Read(t, in("new.jsonl"))) {
		var e struct {
			Plan struct{ Runs []struct{ Name string } }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		for _, r := range e.Plan.Runs {
			told = append(told, r.Name)
		}
	}
	harness.Run(t, "report", in("new"), "--html", in("report.html")).WantCode(t, 0)
	page, text := testfile.Read(t, in("report.html")), harness.Run(t, "report", in("new")).WantCode(t, 0)
	compared := harness.Run(t, "compare", in("base"), in("new"), "--html", in("compare.html")).WantCode(t, 0)
	for i, point := range sixPoints() {
		name := "new: null SingleStream performance " + point
		if len(told) != 6 || told[i] != name {
			t.Errorf("the events tell of %q, want %s", told, name)
		}
		if strings.Count(page, ">"+name+"<") != 2 {
			t.Errorf("%s is not in the table and in a heading of the page", name)
		}
		text.WantOutput(t, "\n"+name+"  ")
		compared.WantOutput(t, "null SingleStream performance "+point+": 1 run against 1")
		heading := `<h2 dir="auto">null SingleStream performance ` + point + "</h2>"
		if !strings.Contains(testfile.Read(t, in("compare.html")), heading) {
			t.Errorf("the comparison's page has no heading for %s", point)
		}
	}
	// folders of two points can be compared with one point and a run without a name
	harness.Run(t, "compare", in("new/null/batch=1,sessions=1"), in("new/null/batch=4,sessions=1")).WantCode(t, 0).
		WantOutput(t, "null SingleStream performance sessions=1: 1 run against 1", "1 -> 4")
}

func sixPoints() (all []string) {
	for _, batch := range []string{"1", "4", "8"} {
		for _, sessions := range []string{"1", "2"} {
			all = append(all, "batch="+batch+", sessions="+sessions)
		}
	}
	return all
}

// TestHostileLabels: a label is a line of text, and the label of a foreign result.json is shown as text.
func TestHostileLabels(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	for _, label := range []string{"two\nlines", "\x1b[31mred", strings.Repeat("x", 10_000)} {
		r := harness.Run(t, "run", "null", "--label", label, "--out", out).WantCode(t, 2)
		if !strings.Contains(r.Stderr, "--label") {
			t.Error(r.Both())
		}
	}
	const evil = `</h2><script>alert(1)</script>`
	harness.Run(t, "run", "null", "--scenario", "SingleStream", "--mode", "performance", "--set", "min_duration=0",
		"--set",
		"min_query_count=64", "--quiet", "--label", evil, "--out", out, "--fail-if", "result > 1000000s").WantCode(t, 0)
	file := filepath.Join(out, "result.json")
	var d map[string]any
	testfile.ReadJSON(t, file, &d)
	identity := d["runs"].([]any)[0].(map[string]any)["identity"].(map[string]any)
	if identity["label"] != evil {
		t.Errorf("%v", identity)
	}
	identity["entry"], identity["point"] = "\x1b]0;title\x07../../x\nx", []string{strings.Repeat("y", 10_000)}
	text, err := json.Marshal(d)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(out, "report.html")
	r := harness.Run(t, "report", out, "--html", page, "--text").WantCode(t, 0)
	if strings.Contains(r.Stdout, "\x1b") || strings.Contains(r.Stdout, strings.Repeat("y", 100)) {
		t.Errorf("the text of the report: %q", r.Stdout)
	}
	if html := testfile.Read(t, page); strings.Contains(html, "<script") || !strings.Contains(html, "&lt;script&gt;") {
		t.Error("the label is markup")
	}
}
