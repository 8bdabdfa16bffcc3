package audit

import (
	"path/filepath"
	"strings"
	"testing"
)

// fuzzed is one text as all logs of a run.
func fuzzed(t *testing.T, dir, name, text string) Logs {
	path := filepath.Join(dir, name)
	put(t, path, text)
	return Logs{Accuracy: path, Detail: path, Summary: path}
}

// FuzzBaseline gives it any text for two logs.
func FuzzBaseline(f *testing.F) {
	f.Add(`[
{ "seq_id" : 0, "qsl_idx" : 1, "data" : "00" },
{ "seq_id" : 0, "qsl_idx" : 10, "data" : "00" }
]`, `{ "seq_id" : 3, "qsl_idx" : 1, "data" : "00" }`)
	f.Add("a:qsl,b:c", "a:x,qsl:c")
	f.Fuzz(func(t *testing.T, accuracy, run string) {
		dir := t.TempDir()
		a, b := fuzzed(t, dir, "accuracy", accuracy), fuzzed(t, dir, "run", run)
		var out strings.Builder
		if err := Baseline(&out, a.Accuracy, b.Accuracy); err != nil {
			return
		}
		if lines := strings.Count(out.String(), "\n"); lines < 2 || !strings.HasPrefix(out.String(), "[\n") {
			t.Errorf("%q", out.String())
		}
	})
}
