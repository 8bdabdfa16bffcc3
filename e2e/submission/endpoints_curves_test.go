package submission_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// rehearsedCurve is a curve of TestRehearsedCurves: a model on a system, with its Offline and small sets.
type rehearsedCurve struct {
	system, model, offline string
	set, accuracy, answers string // rows of JSON
	points                 int
}

// rowsOf returns n rows of JSON, made from a format and the number of each row.
func rowsOf(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, strings.ReplaceAll(format, "#", "%[1]d")+"\n", i)
	}
	return b.String()
}

// TestRehearsedCurves makes whole submissions with mock servers and shortened minimal durations: plans, runs, accuracy
// runs, sheets, tree, check and page of models, one agentic, with elected and dedicated Offline on two systems. The
// check finds only what short runs with small sets lack. PLUMBLINE_KEEP_TREE names a folder that keeps the tree: make
// test-official OF=endpoints-1.0 gives it to the official checker.
func TestRehearsedCurves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(code int, args ...string) string {
		cmd := harness.Command(t, built.Harness(), append([]string{"submission"}, args...)...)
		cmd.Dir = dir
		return harness.Finish(t, cmd).WantCode(t, code).Both()
	}
	news := rowsOf(8, `{"article":"The story # of the day.","highlights":"the story #","output_tokens":6}`)
	stories := rowsOf(8, `{"contains":"The story # of","text":"the story #"}`)
	mark := writeTokenizer(t, filepath.Join(dir, "tokenizer.json"))
	questions := rowsOf(8, `{"input_tokens":[`+mark+`,16,#],"output_tokens":6}`)
	graded := rowsOf(2, `{"input_tokens":[`+mark+`,17,#],"dataset":"aime25","answer":"1","output_tokens":6}`) +
		rowsOf(2, `{"input_tokens":[`+mark+`,18,#],"dataset":"gpqa","ground_truth":"A","output_tokens":6}`) +
		rowsOf(2, `{"input_tokens":[`+mark+`,19,#],"dataset":"livecodebench","ground_truth":"x","output_tokens":6}`)
	call := `[{"id":"a#","type":"function","function":{"name":"bash","arguments":"{\"command\":\"grep x | head\"}"}}]`
	trajectories := rowsOf(3, `{"conversation_id":"c#","turn":1,"role":"user","system":"You are an agent.",`+
		`"content":"mend #","tools":[{"type":"function","function":{"name":"bash"}}]}`+"\n"+
		`{"conversation_id":"c#","turn":2,"role":"assistant","tool_calls":`+call+`}`)
	calls := `{"contains":"mend","text":"` + strings.Repeat(" ba", 470) + `","calls":[{"id":"c","name":"bash",` +
		`"arguments":{"command":"grep y | head"}}],"finish":"tool_calls"}` + "\n"
	curves := []rehearsedCurve{
		{"alpha", "llama3_1-8b", "elected", news, "", stories, 7},
		{"beta", "llama3_1-8b", "elected", news, "", stories, 7},
		{"alpha", "gpt-oss-120b", "dedicated", questions, graded, stories, 8},
		{"beta", "kimi-k3", "", trajectories, "", calls, 7},
	}
	for _, system := range []string{"alpha", "beta"} {
		run(0, "init", "--rules", "endpoints-1.0", "--submitter", "ORG", "--division", "Standardized", "--system", system)
	}
	for _, c := range curves {
		trial := c.run(t, dir, run)
		run(0, "add", trial, "--rehearsal", "--system", c.system)
	}
	fillIn(t, filepath.Join(dir, "submission"))
	describeReplica(t, filepath.Join(dir, "submission"))
	run(0, "build", "--out", "tree")
	wantShortRuns(t, run(3, "check", "tree/ORG", "--json"))
	table := run(0, "results", "tree/ORG")
	harness.WantParts(t, table, "alpha, llama3_1-8b, C_max 40", "beta, llama3_1-8b", "alpha, gpt-oss-120b", "dedicated",
		"elected", "llama3_1-8b: who is ahead", "beta, kimi-k3", "the whole run counts")
	for _, c := range curves {
		points, _ := filepath.Glob(filepath.Join(dir, "tree", "ORG", "*", "results", c.system, c.model, "r*"))
		if len(points) != c.points {
			t.Errorf("%s, %s: %d points, want %d", c.system, c.model, len(points), c.points)
		}
	}
	run(0, "results", "tree/ORG", "--format", "html", "--out", "page.html")
	harness.WantParts(t, testfile.Read(t, filepath.Join(dir, "page.html")), `id="model-2-tokens"`, "Who is ahead")
	if keep := os.Getenv("PLUMBLINE_KEEP_TREE"); keep != "" {
		if err := os.CopyFS(keep, os.DirFS(filepath.Join(dir, "tree", "ORG"))); err != nil {
			t.Error(err)
		}
	}
}

// writeTokenizer writes a tokenizer of characters and 25 words with the marks of gpt-oss-120b, and returns the ids that
// begin the user's part.
func writeTokenizer(t *testing.T, file string) (mark string) {
	t.Helper()
	vocab := map[string]int{"Ġ": 94}
	for c := '!'; c <= '~'; c++ {
		vocab[string(c)] = int(c - '!')
	}
	merges := []string{}
	for c := 'b'; c <= 'z'; c++ {
		first, word := "Ġ"+string(c), "Ġ"+string(c)+"a"
		vocab[first], vocab[word] = len(vocab)+2, len(vocab)+3 // above the marks
		merges = append(merges, "Ġ "+string(c), first+" a")
	}
	type added struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
		Special bool   `json:"special"`
	}
	text, err := json.Marshal(map[string]any{
		"model":         map[string]any{"type": "BPE", "vocab": vocab, "merges": merges},
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
		"decoder":       map[string]any{"type": "ByteLevel"},
		"added_tokens":  []added{{95, "<|start|>", true}, {96, "<|message|>", true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, file, string(text))
	return fmt.Sprintf("95,%d,%d,%d,%d,96", 'u'-'!', 's'-'!', 'e'-'!', 'r'-'!')
}

// describeReplica describes the nodes of a workspace: eight accelerators each, which hold one replica.
func describeReplica(t *testing.T, workspace string) {
	t.Helper()
	for pattern, fields := range map[string]map[string]string{
		"systems/*/nodes/*.json": {"number_of_nodes": "1", "accelerators_per_node": "8", "accelerator_model_name": "X 100",
			"accelerator_watts": "700", "accelerator_source": "https://maker.example/x100", "cooling": "air"},
		"systems/*/system.json": {"tensor_parallel": "8", "pipeline_parallel": "1", "expert_parallel": "1",
			"data_parallel": "1"},
	} {
		all, _ := filepath.Glob(filepath.Join(workspace, filepath.FromSlash(pattern)))
		for _, file := range all {
			sheet := map[string]any{}
			err := json.Unmarshal([]byte(testfile.Read(t, file)), &sheet)
			for field, value := range fields {
				sheet[field] = value
			}
			text, err2 := json.MarshalIndent(sheet, "", "  ")
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			testfile.Write(t, file, string(text))
		}
	}
}

// run plans and runs a curve with its own mock, and returns the folder of its points.
func (c rehearsedCurve) run(t *testing.T, dir string, run func(int, ...string) string) (trial string) {
	t.Helper()
	name := c.system + "-" + c.model
	answers := filepath.Join(dir, name+"-answers.jsonl")
	testfile.Write(t, answers, c.answers)
	address := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-owner", "vllm", "-ids", "-step",
		"1ms", "-model", c.model, "-answers", answers)
	plan := []string{"plan", "--model", c.model, "--c-max", "40", "--out", name + ".yaml"}
	if c.offline != "" {
		plan = append(plan, "--offline", c.offline)
	}
	run(0, plan...)
	filled := map[string]string{"performance_set": c.set, "accuracy_set": c.accuracy}
	client := "client:\n  endpoint: " + strings.TrimSuffix(address, "/v1") + "\n  tokenizer: tokenizer.json\n"
	for _, key := range []string{"performance_set", "accuracy_set"} {
		if filled[key] != "" {
			testfile.Write(t, filepath.Join(dir, name+"-"+key+".jsonl"), filled[key])
			client += "  " + key + ": " + name + "-" + key + ".jsonl\n"
		}
	}
	text := testfile.Read(t, filepath.Join(dir, name+".yaml"))
	before, after, _ := strings.Cut(text, "client:\n")
	_, points, ok := strings.Cut(after, "points:\n")
	if !ok {
		t.Fatalf("the plan has no client and points:\n%s", text)
	}
	testfile.Write(t, filepath.Join(dir, name+".yaml"), before+client+"points:\n"+points)
	said := run(0, "run", name+".yaml", "--rehearsal", "--shorten", "100000", "--out", name)
	harness.WantParts(t, said, fmt.Sprintf("%s: %d of %d points", name, c.points, c.points))
	return name
}

// shortRunRules lists what the check finds in short runs with small sets: times, the number of samples with the
// judgements of all of them, and power figures without a source.
var shortRunRules = map[string]string{"point-duration": "warning", "steady-state-basis": "warning",
	"offline-ordering": "warning", "power-estimated": "warning", "accuracy-sample-count": "error",
	"accuracy-gate": "error"}

// wantShortRuns allows only the findings of short runs with small sets, of programs, which were not executed, and of
// SWE-bench, whose service is missing.
func wantShortRuns(t *testing.T, report string) {
	t.Helper()
	var found struct {
		Rows []struct{ Rule, Severity, Path, Message string }
	}
	if err := json.Unmarshal([]byte(report), &found); err != nil || len(found.Rows) < 400 {
		t.Fatalf("%d rows, %v:\n%s", len(found.Rows), err, report)
	}
	for _, r := range found.Rows {
		small := strings.Contains(r.Message, "gen_len") || strings.Contains(r.Path, "gpt-oss-120b")
		switch {
		case r.Severity == "info", strings.HasSuffix(r.Path, "kimi-k3") && strings.HasPrefix(r.Rule, "accuracy-coverage"),
			r.Rule == "agentic-accuracy-swebench":
		case r.Rule == "accuracy-gate" && !small, shortRunRules[r.Rule] != r.Severity && r.Rule != "accuracy-gate":
			t.Errorf("%s %s %s: %s", r.Severity, r.Rule, r.Path, r.Message)
		}
	}
}
