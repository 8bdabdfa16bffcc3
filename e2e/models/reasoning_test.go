package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// scripted is the mock server's answer to a prompt.
type scripted struct {
	Prompt any      `json:"prompt"`
	IDs    []int32  `json:"ids"`
	Texts  []string `json:"texts,omitempty"`
}

// turn is a message of a chat in a request.
type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func writeAnswers(t *testing.T, answers []scripted) string {
	t.Helper()
	var lines bytes.Buffer
	for _, a := range answers {
		if err := json.NewEncoder(&lines).Encode(a); err != nil {
			t.Fatal(err)
		}
	}
	return testfile.Write(t, filepath.Join(t.TempDir(), "answers.jsonl"), lines.String())
}

// reasoningServer returns options of the mock that make it report its model.
func reasoningServer(owner, answers string) []string {
	return []string{"-listen", "127.0.0.1:0", "-owner", owner, "-model", "m", "-answers", answers, "-vocabulary", "200000",
		"-together", "2000"}
}

// TestDeepSeekAtServers asks a server by ids, by text and as a chat: each way gives the same score, and the text of the
// official script.
func TestDeepSeekAtServers(t *testing.T) {
	dir := t.TempDir()
	rows := officialdata.Questions()
	data := filepath.Join(dir, "table.parquet")
	for _, err := range []error{officialdata.DeepSeekTokenizer(dir), officialdata.WriteLanguage(data, rows)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var answers []scripted
	for _, row := range rows {
		var ids []int
		for _, b := range []byte(row.TextInput) {
			ids = append(ids, officialdata.DeepSeekByte(b))
		}
		chat := []turn{{"user", row.TextInput}}
		for _, prompt := range []any{ids, row.TextInput, chat} {
			answers = append(answers, scripted{prompt, []int32{259, 260, 1}, []string{"Answer:", " A", ""}})
		}
	}
	file := writeAnswers(t, answers)
	for name, c := range map[string]struct {
		owner string
		args  []string
	}{
		"ids":       {"vllm", nil},
		"text":      {"vllm", []string{"--param", "send=text"}},
		"chat":      {"sglang", []string{"--param", "send=chat"}},
		"/generate": {"sglang", []string{"--backend-opt", "api=sglang"}},
		"one piece": {"sglang", []string{"--backend-opt", "api=sglang", "--backend-opt", "stream=false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			url := harness.StartMock(t, harness.MockOpenAI, nil, reasoningServer(c.owner, file)...)
			harness.Run(t, append([]string{"run", "deepseek-r1", "--backend", "openai", "--backend-opt", "url=" + url, "--param",
				"tokenizer=" + dir, "--dataset", data, "--mode", "accuracy", "--scenario", "Offline", "--out", out, "--force"},
				c.args...)...).WantCode(t, 0)
			text := testfile.Read(t, filepath.Join(out, "deepseek-r1", "Offline", "accuracy", "accuracy.txt"))
			if !strings.Contains(text, "{'exact_match': 50.0, 'tokens_per_sample': ") ||
				!strings.Contains(text, "'num-samples': 20}") {
				t.Errorf("accuracy.txt: %s", text)
			}
			harness.Run(t, "score", out).WantCode(t, 0).WantOutput(t, text)
		})
	}
}

// harmonyAnswer returns an answer of a given number of tokens, with a choice in its final section.
func harmonyAnswer(choice byte, length int) []int32 {
	final := harmonyIDs("<|end|><|start|>assistant<|channel|>final<|message|>Answer: " + string(choice) + "<|return|>")
	ids := harmonyIDs("<|channel|>analysis<|message|>")
	for len(ids)+len(final) < length {
		ids = append(ids, officialdata.HarmonyByte('x'))
	}
	return append(ids, final...)
}

// TestGPTOSSAtASGLang makes runs, accuracy and both audits of gpt-oss-120b at a server that is asked by /generate, with
// either LoadGen: each on its own data set, TEST07 and TEST09 with the numbers of the rules.
func TestGPTOSSAtASGLang(t *testing.T) {
	dir := t.TempDir()
	all := officialdata.Harmony(6396)
	for name, rows := range map[string]int{ossPerformance: 6396, ossAccuracy: 40, ossCompliance: 990} {
		if err := officialdata.WriteLanguage(filepath.Join(dir, name+".parquet"), all[:rows]); err != nil {
			t.Fatal(err)
		}
	}
	if err := officialdata.HarmonyTokenizer(dir); err != nil {
		t.Fatal(err)
	}
	var answers []scripted
	for i, row := range all {
		choice := row.Truth[0]
		if i%4 == 3 { // a quarter is wrong
			choice = 'C'
		}
		answers = append(answers, scripted{Prompt: row.Tokens, IDs: harmonyAnswer(choice, 1200)})
	}
	url := harness.StartMock(t, harness.MockOpenAI, nil, append(reasoningServer("sglang", writeAnswers(t, answers)),
		"-repeats")...)
	for _, loadgen := range []string{"plumbline", "official"} {
		t.Run(loadgen, func(t *testing.T) {
			if loadgen == "official" {
				built.NeedOfficial(t)
			}
			auditGPTOSS(t, dir, url, loadgen)
		})
	}
}

func auditGPTOSS(t *testing.T, dir, url, loadgen string) {
	out := t.TempDir()
	flags := func(more ...string) []string {
		return append(more, "--backend", "openai", "--backend-opt", "url="+url, "--backend-opt", "api=sglang", "--param",
			"tokenizer="+dir, "--dataset", filepath.Join(dir, ossPerformance+".parquet"), "--accuracy-dataset",
			filepath.Join(dir, ossAccuracy+".parquet"), "--audit-dataset", filepath.Join(dir, ossCompliance+".parquet"),
			"--scenario", "Offline", "--loadgen", loadgen, "--out", out, "--quiet", "--set",
			"performance_sample_count_override=6396", "--set", "accuracy_sample_count_override=40")
	}
	harness.Run(t, flags("run", "gpt-oss-120b", "--mode", "submission")...).WantCode(t, 0)
	text := testfile.Read(t, filepath.Join(out, "gpt-oss-120b", "Offline", "accuracy", "accuracy.txt"))
	for _, want := range []string{"'exact_match': 75.000", "'tokens_per_sample': 1200.0",
		"gpqa_diamond                    30       40        5"} {
		if !strings.Contains(text, want) {
			t.Errorf("accuracy.txt lacks %q:\n%s", want, text)
		}
	}
	harness.Run(t, flags("audit", "all", "gpt-oss-120b")...).WantCode(t, 0).WantOutput(t, "TEST07", "TEST09", "PASS")
	var doc struct {
		Runs []struct {
			Mode, Test string
			Options    struct{ Dataset string }
		}
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	sets := map[string]bool{}
	for _, run := range doc.Runs {
		sets[fmt.Sprintf("%s %s %s", run.Mode, run.Test, filepath.Base(run.Options.Dataset))] = true
	}
	for _, want := range []string{"performance  " + ossPerformance, "accuracy  " + ossAccuracy,
		"performance TEST07 " + ossCompliance, "performance TEST09 " + ossPerformance} {
		if !sets[want+".parquet"] {
			t.Errorf("no run is %q, but %v", want, sets)
		}
	}
}

// TestTEST06OfDeepSeek logs a hundred answers of a server that streams: the verdict says how they end.
func TestTEST06OfDeepSeek(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	data := filepath.Join(dir, "table.jsonl")
	for _, err := range []error{
		officialdata.DeepSeekTokenizer(dir), officialdata.WriteLanguage(data, officialdata.Questions()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	flags := func(says string) []string {
		url := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-owner", "vllm",
			"-model", "m", "-says", says, "-vocabulary", "100000")
		return []string{"audit", "TEST06", "deepseek-r1", "--backend", "openai", "--backend-opt", "url=" + url, "--param",
			"tokenizer=" + dir, "--dataset", data, "--scenario", "Server", "--out", out, "--force", "--set",
			"Server.target_qps=1000", "--set", "performance_sample_count_override=20"}
	}
	harness.Run(t, flags("259,260,1")...).WantCode(t, 0).WantOutput(t, "TEST06", "PASS", "ends with one of the tokens 1.")
	harness.WantParts(t, testfile.Read(t, filepath.Join(out, "deepseek-r1", "Server", "TEST06", "verify_accuracy.txt")),
		"First token check pass: True", "EOS check pass: True", "Sample length check pass: True")
}

// TestAuditsOfEmbeddedReasoning: audits of the embedded model need only a clone and are judged by its card; a model
// with worse answers fails.
func TestAuditsOfEmbeddedReasoning(t *testing.T) {
	for _, c := range []struct{ test, model, says string }{
		{"TEST06", "deepseek-r1", "An answer ends with one of the tokens 1."},
		{"TEST07", "gpt-oss-120b", "note: Judged by the embedded model's card, not by the round: an accuracy of "},
		{"TEST09", "gpt-oss-120b", "note: Judged by the embedded model's card, not by the round: a mean of "},
	} {
		t.Run(c.test, func(t *testing.T) {
			out := t.TempDir()
			args := []string{"audit", c.test, c.model, "--scenario", "Offline", "--out", out, "--quiet"}
			harness.Run(t, args...).WantCode(t, 0).WantOutput(t, c.test, "PASS", c.says)
			if c.test != "TEST06" {
				worse := harness.Run(t, append(args, "--force", "--param", "max_new_tokens=8")...)
				worse.WantCode(t, 3).WantOutput(t, "FAIL", c.says)
			}
		})
	}
}

// TestPythonReasoningPrograms scores the programs in the embedded model's answers, with the benchmark's own problems.
func TestPythonReasoningPrograms(t *testing.T) {
	python := os.Getenv("PLUMBLINE_PYTHON")
	if python == "" {
		t.Skip("PLUMBLINE_PYTHON names no interpreter: make test-extra OF=python PYTHON=python3 runs this")
	}
	out := t.TempDir()
	harness.Run(t, "run", "deepseek-r1", "--mode", "accuracy", "--count", "40", "--out", out, "--force").WantCode(t, 0).
		WantOutput(t, "exact_match_without_programs", "programs were not executed")
	harness.Run(t, "score", out, "--param", "execute="+python).WantCode(t, 0).
		WantOutput(t, "'exact_match': ", "programs ran by Python")
	harness.Run(t, "score", out).WantCode(t, 0).WantOutput(t, "programs were not executed")
}
