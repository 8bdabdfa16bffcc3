package audits

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
)

// FuzzVerify gives each test any text for its logs, in both readings: it ends with a verdict, and what passes by
// default passes for the official scripts.
func FuzzVerify(f *testing.F) {
	for _, text := range []string{
		`[{ "seq_id" : 0, "qsl_idx" : 1, "data" : "0000803F", "token_data" : "0000803F", "token_count" : 1 }]`,
		"[]", "{}", `[{"qsl_idx": 1.0, "data": null}]`, "\xef\xbb\xbf[]", "[\xff]", `[{"data":"00\u0030"}]`,
		"{\"data\":\"\"}\n5",
		":::MLLOG {\"key\": \"effective_scenario\", \"value\": \"Offline\", \"time_ms\": 0.000001}\r\n",
		"Scenario : SingleStream\n * Early stopping 90th percentile estimate: 0\nResult is : VALID\n1 ERROR encountered\n",
		"*.*.test07_accuracy_threshold = 6 # x\n*.*.test09_min_output_tokens = 1\na.b.test09_max_output_tokens = 2\n",
	} {
		f.Add(text, text, byte(0))
		f.Add("[]", text, byte(3))
	}
	f.Fuzz(func(t *testing.T, reference, run string, which byte) {
		tests := []string{"TEST01", "TEST04", "TEST05", "TEST06", "TEST07", "TEST08", "TEST09"}
		dir := t.TempDir()
		r := audit.Request{Test: tests[int(which)%len(tests)], Scenario: "Offline", Command: "true",
			Reference: logsOf(t, dir, "reference", reference), Run: logsOf(t, dir, "run", run)}
		r.AuditConfig = r.Run.Detail
		least, most := 0.0, 9.0
		r.Threshold, r.MinTokens, r.MaxTokens = &least, &least, &most
		ours, err := audit.Verify(context.Background(), r)
		if err != nil && !errors.Is(err, audit.ErrRequest) {
			t.Fatal(err)
		}
		official, err := Verify(context.Background(), Request{Request: r, UnixMode: which > 200})
		if err != nil {
			t.Fatal(err)
		}
		if ours.Pass && !official.Pass {
			t.Errorf("passes here alone: %+v, %+v", ours, official)
		}
	})
}

// logsOf is one text as all logs of a run.
func logsOf(t *testing.T, dir, name, text string) audit.Logs {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return audit.Logs{Accuracy: path, Detail: path, Summary: path}
}
