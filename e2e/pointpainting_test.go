package e2e

import (
	"path/filepath"
	"testing"
)

// TestPointPainting runs the embedded networks, scores the log again, and audits them. Of so few queries as fit into a
// test there is no 99.9th percentile: another one is asked for.
func TestPointPainting(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	harness(t, "run", "pointpainting", "--mode", "accuracy", "--smoke", "--quiet", "--out", out).wantCode(t, 0)
	var doc document
	readJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Accuracy == nil || len(doc.Runs[0].Accuracy.Metrics) != 4 {
		t.Fatalf("%+v, want one accuracy run of four metrics", doc.Runs)
	}
	harness(t, "score", out).wantCode(t, 0)
	holds(t, "'Total': ", out, "pointpainting", "SingleStream", "accuracy", "accuracy.txt")
	holds(t, "accepts any model above 0.54 percent", out, "result.json")

	audited := filepath.Join(t.TempDir(), "audited")
	eitherWay(t, harness(t, "audit", "TEST01", "pointpainting", "--rules", "v6.0", "--scenario", "SingleStream", "--smoke",
		"--set", "min_query_count=64", "--set", "target_latency=20", "--set", "target_latency_percentile=90", "--quiet",
		"--out", audited))
	holds(t, "TEST PASS", audited, "pointpainting", "SingleStream", "TEST01", "verify_accuracy.txt")
}
