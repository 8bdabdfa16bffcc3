package models

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/conversations"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/tooluse"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// callTables are the table's forms in the endpoints harness.
var callTables = []string{".parquet", ".jsonl"}

// agenticFiles writes made-up conversations and questions in the official layouts.
func agenticFiles(dir string) error {
	w := export.ToolSets()
	samples, err := tooluse.Samples()
	var rows []officialdata.CallRecord
	for _, s := range samples {
		messages, failed := json.Marshal([]map[string]string{{"role": "user", "content": s.Messages[0].Content}})
		err = errors.Join(err, failed)
		rows = append(rows, officialdata.CallRecord{
			Messages: string(messages), Tools: s.Tools, ToolChoice: "auto", Truth: s.Answers, Functions: s.Functions,
			Subset: s.Subset, ID: s.ID,
		})
	}
	for _, form := range callTables {
		name := filepath.Join(dir, "table"+form[1:], "bfcl_v4_single_turn"+form)
		err = errors.Join(err, officialdata.WriteCalls(name, rows))
	}
	return errors.Join(err,
		w.Write(context.Background(), filepath.Join(dir, "agentic"), "conversations", 0, -1),
		w.Write(context.Background(), filepath.Join(dir, "bfcl_eval"), "questions", 0, -1))
}

// agenticDoors are the doors of agents. The scripted server stands in for one with a model.
func agenticDoors() []door {
	scores := map[string]float64{
		"overall_accuracy":             100 * float64(10*9+2*11) / 144,
		"normalized_single_turn_score": 100 * (0.75 + 0.75 + 11.0/12) / 3,
	}
	var tables []form
	for _, f := range callTables {
		tables = append(tables, form{"--backend standin --dataset agentic --accuracy-dataset table" + f[1:], scores})
	}
	return []door{{
		also:  tables,
		model: "qwen3.6-27b", data: agenticFiles, whole: true, replays: true,
		layouts: []string{
			conversations.OfficialName + ", or its folder: recorded conversations, a row for each turn",
			"the folder of bfcl-eval 2026.3.23 (bfcl_eval, or its data), or bfcl_v4_single_turn as .parquet or .jsonl, as " +
				"made by the endpoints harness",
		},
		scores:  map[string]map[string]float64{"out/qwen3.6-27b-smoke": scores},
		instead: map[string]string{"--backend openai --backend-opt url=http://localhost:8080": "--backend standin"},
	}}
}

// reply is a line of a script of openai-mock.
type reply struct {
	Contains string     `json:"contains"`
	Text     string     `json:"text,omitempty"`
	Calls    []toolCall `json:"calls,omitempty"`
	Status   int        `json:"status,omitempty"`
}

type toolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// callOf returns a call as a server streams it.
func callOf(t *testing.T, name string, arguments any) toolCall {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return toolCall{"call_0", name, string(text)}
}

// TestAgentAtServer asks a scripted server in the official layouts: all questions are answered correctly, and one turn
// fails, so that the rest of its conversation is never sent.
func TestAgentAtServer(t *testing.T) {
	dir := t.TempDir()
	if err := agenticFiles(dir); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	lines := json.NewEncoder(&script)
	say := func(r reply) {
		if err := lines.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range tooluse.Questions() {
		r := reply{Contains: q.Text, Text: "No."}
		for _, c := range q.Calls {
			r.Text, r.Calls = "", append(r.Calls, callOf(t, c.Name, c.Arguments))
		}
		say(r)
	}
	say(reply{Contains: "2 Brno", Status: 400}) // the beginning of the third turn of ledger-2
	say(reply{Contains: "7 Brno", Status: 400})
	say(reply{Calls: []toolCall{callOf(t, "bash", map[string]string{"command": "ls"})}})
	file := filepath.Join(dir, "answers.jsonl")
	if err := os.WriteFile(file, []byte(script.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	url := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m", "-answers", file)
	out := filepath.Join(dir, "out")
	r := harness.Run(t, "run", "qwen3.6-27b", "--backend", "openai", "--backend-opt", "url="+url, "--dataset",
		filepath.Join(dir, "agentic"), "--accuracy-dataset", filepath.Join(dir, "bfcl_eval"), "--mode", "submission",
		"--out", out)
	if r.Code != 3 { // turns are missing
		t.Fatalf("exit code %d:\n%s", r.Code, r.Both())
	}
	harness.WantParts(t, r.Stdout, "MISSES", "turns were not answered", "100", "overall_accuracy")
	var doc struct {
		Runs []struct {
			Mode    string
			Serving struct {
				Replay struct{ Turns, Issued, Answered, Failed, Unsent int }
			}
		}
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	got := doc.Runs[0].Serving.Replay
	if got.Turns != tooluse.CountTurns() || got.Failed != 1 || got.Unsent == 0 ||
		got.Answered+got.Failed+got.Unsent != got.Turns {
		t.Errorf("%+v", got)
	}
	text := testfile.Read(t, filepath.Join(out, "qwen3.6-27b", "SingleStream", "accuracy", "accuracy.txt"))
	harness.WantParts(t, text, "overall_accuracy=100.0%", "live_irrelevance=100")
	official := filepath.Join(out, "qwen3.6-27b", "SingleStream", "endpoints")
	harness.WantParts(t, testfile.Read(t, filepath.Join(official, "config.yaml")), "type: agentic_inference", "name: m\n",
		url)
	harness.WantParts(t, testfile.Read(t, filepath.Join(official, "scores.json")), `"missing": 1`)
	var summary struct {
		Issued int `json:"n_samples_issued"`
		Failed int `json:"n_samples_failed"`
	}
	testfile.ReadJSON(t, filepath.Join(official, "performance", "result_summary.json"), &summary)
	if summary.Issued != got.Issued || summary.Failed != 1 {
		t.Errorf("%+v, want %+v", summary, got)
	}
	harness.WantParts(t, testfile.Read(t, filepath.Join(official, "accuracy", "accuracy_results.json")),
		"bfcl_v4::function_calling",
		`"score": 1`, `"dataset_name": "performance"`)
	harness.Run(t, "score", out).WantCode(t, 0).WantOutput(t, text)

	config := strings.Replace(testfile.Read(t, filepath.Join(official, "config.yaml")), "scheduler_random_seed: 42",
		"scheduler_random_seed: 16159082839903944936", 1)
	again := filepath.Join(dir, "again")
	r = harness.Run(t, "bench", testfile.Write(t, filepath.Join(dir, "config.yaml"), config), "--out", again)
	harness.WantParts(t, r.Stdout, "MISSES", "turns were not answered") // as before
	harness.WantParts(t, testfile.Read(t, filepath.Join(again, "qwen3.6-27b", "SingleStream", "endpoints", "config.yaml")),
		"scheduler_random_seed: 16159082839903944936", "dataloader_random_seed: 42", "name: agentic_coding")
}

// TestAgentSubmission makes a tree of the stand-in's runs in the endpoints harness's form. The check refuses it,
// because it has only a few made-up turns and questions.
func TestAgentSubmission(t *testing.T) {
	dir := t.TempDir()
	out, tree, work := filepath.Join(dir, "out"), filepath.Join(dir, "tree"), filepath.Join(dir, "work")
	harness.Run(t, "run", "qwen3.6-27b", "--mode", "submission", "--out", out).WantCode(t, 0)
	harness.Run(t, "submission", "init", "--workspace", work, "--submitter", "Lab", "--system-type", "edge").WantCode(t, 0)
	r := harness.Run(t, "submission", "add", out, "--workspace", work)
	if r.Code == 0 || !strings.Contains(r.Stderr, "a rehearsal, a replay of this project's") {
		t.Errorf("exit code %d:\n%s", r.Code, r.Both())
	}
	harness.Run(t, "submission", "add", out, "--workspace", work, "--rehearsal").WantCode(t, 0)
	harness.Run(t, "submission", "build", "--workspace", work, "--out", tree, "--allow-unfilled").WantCode(t, 0)
	scenario := filepath.Join(tree, "closed", "Lab", "results", "system", "qwen3.6-27b", "SingleStream")
	for _, name := range []string{"config.yaml", "scores.json", "performance/result_summary.json",
		"accuracy/accuracy_results.json", "measurements.json"} {
		testfile.Read(t, filepath.Join(scenario, filepath.FromSlash(name)))
	}
	r = harness.Run(t, "submission", "check", tree)
	harness.WantParts(t, r.Stdout, "found 14 issued, 14 completed; expected 1007",
		"found overall_accuracy 77.78; expected at least 83.6431",
		"the seeds are those of the endpoints harness's rules", "found 144; expected 995")
}
