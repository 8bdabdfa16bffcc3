package audit

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
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
		r := Request{Test: tests[int(which)%len(tests)], Scenario: "Offline", Command: "true", UnixMode: which > 200,
			Reference: fuzzed(t, dir, "reference", reference), Run: fuzzed(t, dir, "run", run)}
		r.AuditConfig = r.Run.Detail
		least, most := 0.0, 9.0
		r.Threshold, r.MinTokens, r.MaxTokens = &least, &least, &most
		ours, err := Verify(context.Background(), r)
		if err != nil && !errors.Is(err, ErrRequest) {
			t.Fatal(err)
		}
		r.Compatible = true
		official, err := Verify(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if ours.Pass && !official.Pass {
			t.Errorf("passes here alone: %+v, %+v", ours, official)
		}
	})
}

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

// FuzzCommand: a path is put in place of each mark, and no other brace is let through.
func FuzzCommand(f *testing.F) {
	f.Add("score {accuracy_log} {{x}}")
	f.Add("{'a': {accuracy_log}")
	f.Fuzz(func(t *testing.T, command string) {
		got, err := pyFormat(command, "PATH")
		if err == nil && strings.Contains(got, accuracyPlace) && !strings.Contains(command, "{{") {
			t.Errorf("%q: %q", command, got)
		}
	})
}
