package endpoints_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// replayed is a replay of three turns, of which one failed, with the accuracy of function calls.
func replayed() endpoints.Run {
	r := users()
	r.Load = arrival.Pattern{Kind: arrival.Users, Users: 1, Sessions: true, Seed: 42}
	r.Fields = map[string]string{"temperature": "0", "seed": "42"}
	r.WarmUp, r.MaxTokens, r.Model = 0, 1024, "Qwen3.6-27B-Q4_K_M"
	r.Data = formats.Data{Name: "agentic_coding", Path: "agentic_coding_2.5h.jsonl"}
	r.Requests = []metrics.Request{answer(0, 0, 0, 10*ms, 2*ms, 4), answer(1, 10*ms, 10*ms, 30*ms, 2*ms, 4),
		{Index: 2, Row: 2, Due: 30 * ms, Sent: 30 * ms, End: 40 * ms, Status: metrics.Faulty, Fault: "status 500",
			Usage: metrics.NoUsage(), AskedIn: metrics.Unknown, Retokenized: metrics.Unknown}}
	for i := range r.Requests {
		r.Requests[i].Session, r.Requests[i].Turn = "a", i
	}
	r.Agentic = &endpoints.Agentic{
		Conversations: 1, Timeout: 600 * time.Second, MaxDuration: 4 * time.Hour, DataSeed: 42, Turns: 3, Score: 0.5,
		Scores: json.RawMessage(`{"score":0.5,"turns":{"issued":3,"expected":3,"observed":2,"missing":1,"scored":3}}`),
		Calls: &endpoints.CallAccuracy{Took: 1500 * time.Millisecond,
			Entry: json.RawMessage(`{"score":0.8623,"total_samples":995,` +
				`"breakdown":{"subset_scores":{},"overall_accuracy":86.23,"normalized_single_turn_score":87.96,` +
				`"total_samples":995},` +
				`"response_counts":{"issued":995,"scored":992,"empty":3,"missing":0}}`)},
	}
	return r
}

// TestReplayInEndpoints: the files of a replay have the names and the fields of the official ones.
func TestReplayInEndpoints(t *testing.T) {
	dir, summary := written(t, replayed())
	for _, d := range unlike("", map[string]any{
		"n_samples_issued": 3.0, "n_samples_completed": 3.0, "n_samples_failed": 1.0, "duration_ns": float64(40 * ms),
	}, map[string]any{
		"n_samples_issued": summary["n_samples_issued"], "n_samples_completed": summary["n_samples_completed"],
		"n_samples_failed": summary["n_samples_failed"], "duration_ns": summary["duration_ns"],
	}) {
		t.Error(d)
	}
	var results map[string]any
	golden.ReadJSON(t, filepath.Join(dir, "accuracy", "accuracy_results.json"), &results)
	golden.Each(t, "agentic/endpoints/accuracy_results_example.json", func(t *testing.T, path string) {
		var example map[string]any
		golden.ReadJSON(t, path, &example)
		mine, theirs := results["accuracy_scores"].([]any), example["accuracy_scores"].([]any)
		if len(mine) != len(theirs) || results["average_accuracy"] != example["average_accuracy"] {
			t.Fatalf("%v, want the form of %v", results, example)
		}
		for i := range theirs {
			for name, want := range theirs[i].(map[string]any) {
				got, ok := mine[i].(map[string]any)[name]
				if same := name != "breakdown" && name != "response_counts" && i == 0; !ok || same && got != want {
					t.Errorf("entry %d: %s is %v, want %v", i, name, got, want)
				}
			}
		}
	})
	text, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"type: agentic_inference", "target_concurrency: 1", "max_connections: 1", "num_workers: 1", "seed: 42",
		"turn_timeout_s: 600", "num_trajectories_to_issue: 1", "eval_method: bfcl_v4", "subset_floor: 25",
		"max_duration_ms: 14400000", "min_duration_ms: 0", "X-Session-ID", "eval_method: agentic_inference_inline",
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("config.yaml has no %q:\n%s", part, text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "scores.json")); err != nil {
		t.Error(err)
	}
}

// judge lets endpoints' own checks of a submission judge a folder.
const judge = `
import sys
sys.path.insert(0, sys.argv[1] + "/src")
from inference_endpoint.compliance.checker import check_submission
for check in check_submission(sys.argv[2]).checks:
    print("PASS" if check.passed else "FAIL", check.name)
`

// TestOfficialEndpointsOfReplays lets endpoints' own checks read the files of a replay: all pass but those of the turn
// that failed.
func TestOfficialEndpointsOfReplays(t *testing.T) {
	sources := os.Getenv("PLUMBLINE_ENDPOINTS")
	if sources == "" {
		t.Skip("PLUMBLINE_ENDPOINTS does not name the sources of mlcommons/endpoints (make test-official OF=endpoints)")
	}
	dir, _ := written(t, replayed())
	out, err := exec.Command(python(), "-c", judge, sources, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	want := []string{"PASS temperature==0", "PASS seed==42", "PASS single_stream", "PASS accuracy:overall_accuracy",
		"PASS accuracy:normalized_single_turn_score", "PASS min_sample_count", "FAIL no_dropped_turns",
		"FAIL all_turns_observed"}
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("endpoints says %q, want %q", got, want)
	}
}
