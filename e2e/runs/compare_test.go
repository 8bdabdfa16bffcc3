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

// TestCompareRuns makes two runs with the built binaries and compares them in every form.
func TestCompareRuns(t *testing.T) {
	dir := t.TempDir()
	out := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"base", "new"} {
		harness.Run(t, "run", "null", "--scenario", "SingleStream", "--mode", "performance", "--quiet", "--out", out(name)).
			WantCode(t, 0)
	}
	harness.Run(t, "compare", out("base"), out("new")).WantCode(t, 0).WantOutput(t,
		"null SingleStream performance: 1 run against 1", "99th percentile latency, ms", "no verdict")
	r := harness.Run(t, "compare", out("base"), out("new"), "--html", out("page.html"), "--json",
		"--fail-if", "SingleStream.p99 > 0ms", "--fail-if", "queries < -100%").WantCode(t, 3)
	if !strings.Contains(r.Stderr, "failed: SingleStream.p99 > 0ms") || !strings.HasPrefix(r.Stdout, "{") {
		t.Error(r.Both())
	}
	page, err := os.ReadFile(out("page.html"))
	if err != nil || !strings.Contains(string(page), "null SingleStream performance") {
		t.Errorf("%v: %s", err, page)
	}
	harness.Run(t, "run", "null", "--scenario", "SingleStream", "--mode", "performance", "--set", "min_duration=1",
		"--quiet", "--out", out("other")).WantCode(t, 0)
	r = harness.Run(t, "compare", out("base"), out("other")).WantCode(t, 2)
	if !strings.Contains(r.Stderr, "min_duration differs") {
		t.Error(r.Both())
	}
	harness.Run(t, "run", "null", "--scenario", "SingleStream", "--fail-if", "p99 > 0ms", "--quiet", "--out",
		out("failing")).
		WantCode(t, 3).WantOutput(t, "failed: p99 > 0ms: null SingleStream performance")
}

// TestBackendsInTurn runs two backends alternately, the second in its own process, and compares them.
func TestBackendsInTurn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	r := harness.Run(t, "run", "resnet50", "--backend", "ort,process", "--repeat", "2", "--quiet", "--out", out,
		"--backend-opt", "process:command="+filepath.Join(built.Dir(), "plugins", "ortprocess"), "--scenario", "SingleStream",
		"--mode", "performance", "--count", "64", "--set", "min_query_count=64", "--set", "min_duration=0", "--fail-if",
		"result > +1000000%").WantCode(t, 0)
	r.WantOutput(t, "ort, round 1 of 2\n", "process, round 2 of 2\n", "2 runs against 2", "no verdict",
		"logs and result.json in "+out)
	at := func(text string) int { return strings.Index(r.Stdout, text) }
	if at("process, round 2") > at("ort, round 2") || at("ort, round 1") > at("process, round 1") {
		t.Errorf("the second round is not in the reverse order:\n%s", r.Stdout)
	}
	harness.Run(t, "compare", filepath.Join(out, "ort"), filepath.Join(out, "process")).WantCode(t, 0).
		WantOutput(t, "backend", "ort -> process")
}

// TestExportOfQueries: the exported queries agree with result.json.
func TestExportOfQueries(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	harness.Run(t, "run", "null", "--scenario", "SingleStream", "--mode", "performance", "--quiet", "--out", out,
		"--export", "csv,jsonl,parquet,hdr", "--export-rows", "10000000").WantCode(t, 0)
	dir := filepath.Join(out, "null", "SingleStream", "performance", "run_1")
	csv, err := os.ReadFile(filepath.Join(dir, "queries.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Runs []struct{ Performance struct{ Queries int } }
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &d)
	if n := strings.Count(string(csv), "\n") - 1; n != d.Runs[0].Performance.Queries {
		t.Errorf("%d rows of %d queries", n, d.Runs[0].Performance.Queries)
	}
	for _, name := range []string{"queries.jsonl", "queries.parquet", "queries.hdr"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
