package models

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// record is a sample of an official data set of language models, by its columns.
type record map[string]any

// languageData are data sets by model name: the official file without its extension, and records in its form.
func languageData() map[string]struct {
	file    string
	records []record
} {
	type data = struct {
		file    string
		records []record
	}
	tokens := []int{1, 40, 41, 42, 43, 2}
	news := []record{{"input": "A bridge was opened in Zürich.", "tok_input": tokens, "output": "Bridge opened."}}
	orca := []record{
		{"system_prompt": "You are brief.", "question": "Why?", "tok_input": tokens, "output": "Because of rain."},
	}
	tasks := []record{
		{"input": "Find it.", "tok_input": tokens, "gt_output": "7, 8", "metric": "niah_em"},
		{"input": "Tell it.", "tok_input": tokens, "gt_output": "a story", "metric": "rouge"},
	}
	return map[string]data{
		"llama3.1-8b":      {"cnn_eval", news},
		"llama3.1-8b-edge": {"sample_cnn_eval_5000", news},
		"llama2-70b":       {"open_orca_gpt4_tokenized_llama.sampled_24576", orca},
		"llama3.1-405b":    {"mlperf_llama3.1_405b_dataset_8313_processed_fp16_eval", tasks},
		"mixtral-8x7b": {"09292024_mixtral_15k_mintoken2_v1", []record{
			{"dataset": "GSM8K", "id": "4", "input": "2 + 2?", "tok_input": tokens, "gt_output": "4"},
			{"dataset": "OpenOrca", "id": "niv.1", "input": "Why?", "tok_input": tokens, "gt_output": "Because of rain."},
		}},
		"gptj": {"cnn_eval", []record{
			{"instruction": "Summarize:", "input": "A bridge was opened.", "output": "Bridge opened."},
		}},
	}
}

// TestLanguageModelsTakeData scores each language model on a data set given as a file, or as the folder around it: on
// one of them for each model in turn, on both in make test-all.
func TestLanguageModelsTakeData(t *testing.T) {
	all := languageData()
	for i, model := range slices.Sorted(maps.Keys(all)) {
		data := all[model]
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := testfile.Write(t, filepath.Join(dir, data.file+".jsonl"), jsonLines(t, data.records))
			paths := []string{file, dir}
			if !slow.All() {
				paths = paths[i%2:][:1]
			}
			for _, path := range paths {
				out := t.TempDir()
				harness.Run(t, append(ownModel("run", model), "--dataset", path, "--mode", "accuracy", "--scenario", "Offline",
					"--out", out, "--force")...).WantCode(t, 0)
				text := testfile.Read(t, filepath.Join(out, model, "Offline", "accuracy", "accuracy.txt"))
				again := harness.Run(t, "score", out).WantCode(t, 0)
				if !strings.Contains(text, fmt.Sprint(len(data.records))) || !strings.Contains(again.Stdout, text) {
					t.Errorf("--dataset %s: the run wrote %q, score printed:\n%s", path, text, again.Stdout)
				}
			}
		})
	}
}

// ownModel returns arguments for a command with the user's model file.
func ownModel(command, model string) []string {
	folder := filepath.Join(built.Root(), "plugins", "llm", "model")
	return []string{command, model, "--model", filepath.Join(folder, "llm_fp32.onnx"),
		"--param", "tokenizer=" + folder, "--param", "eos=0", "--param", "min_new_tokens=1", "--param", "max_new_tokens=8"}
}

// TestBadLanguageData gives the language models one wrong data set at a time.
func TestBadLanguageData(t *testing.T) {
	dir := t.TempDir()
	empty, pickled := filepath.Join(dir, "empty"), filepath.Join(dir, "pickled")
	for _, d := range []string{empty, pickled} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	testfile.Write(t, filepath.Join(pickled, "cnn_eval.pkl"), "\x80\x04.")
	for _, c := range []struct {
		name, path string
		says       []string
	}{
		{"nothing there", filepath.Join(dir, "none.json"), []string{"none.json", "no such file or directory"}},
		{"a device", "/dev/null", []string{"neither a directory nor a regular file"}},
		{"a folder without it", empty, []string{"no cnn_eval with .json, .jsonl, .parquet", "name the file itself"}},
		{"a pickle", testfile.Write(t, filepath.Join(dir, "cnn.pkl"), "\x80\x04."), []string{"Python pickle", "convert.py"}},
		{"a folder with a pickle", pickled, []string{"Python pickle", "convert.py"}},
		{"other columns", testfile.Write(t, filepath.Join(dir, "other.json"), `[{"text":"a"}]`),
			[]string{"it has neither input nor tok_input"}},
		{"a cut file", testfile.Write(t, filepath.Join(dir, "cut.jsonl"), `{"output":"a","input":"b"}`+"\n{"),
			[]string{"after 1 records"}},
		{"cut Parquet", testfile.Write(t, filepath.Join(dir, "cut.parquet"), "PAR1\x15\x04\x15"), []string{"cut.parquet"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append(ownModel("run", "llama3.1-8b"), "--dataset", c.path, "--mode", "accuracy", "--scenario", "Offline",
				"--out", t.TempDir(), "--force")
			harness.WantMessage(t, harness.Run(t, args...).WantCode(t, 6), c.says...)
		})
	}
}

// TestHostileTokenizers gives a language model one damaged tokenizer at a time.
func TestHostileTokenizers(t *testing.T) {
	dir := t.TempDir()
	data := testfile.Write(t, filepath.Join(dir, "cnn_eval.json"), `[{"input": "a", "output": "b"}]`)
	const bpe = `"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}`
	split := func(expression string) string {
		return `{` + bpe + `, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "` + expression +
			`"}, "behavior": "Isolated"}}`
	}
	for _, c := range []struct{ name, file, text, says string }{
		{"no JSON", "tokenizer.json", "{", "unexpected end"},
		{"deep JSON", "tokenizer.json", strings.Repeat("[", 100_000), "tokenizer.json"},
		{"a huge id", "tokenizer.json", `{"model": {"vocab": {"a": 2000000000}}}`, "want 0 to 2097151"},
		{"an expression that is cut", "tokenizer.json", split(`(?:a|[b`), "a [ without its ]"},
		{"an expression within itself", "tokenizer.json", split(strings.Repeat("(", 5000)), "more than 50 groups"},
		{"an expression without an end", "tokenizer.json", split(`(?:(?:ab){1000}){1000}`), "more than 2000 steps"},
		{"no model", "tokenizer.model", "not a model", "is this a tokenizer.model?"},
		{"a length beyond the file", "tokenizer.model", "\x0a\xff\xff\xff\xff\x0f", "is the file complete?"},
		{"rules beyond the file", "tokenizer.model", "\x1a\x08\x12\x06\xff\xff\xff\x7fab", "normalization rules"},
		{"no merges", "vocab.json", `{"a": 0}`, "merges.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			testfile.Write(t, filepath.Join(folder, c.file), c.text)
			args := []string{"run", "llama3.1-8b", "--model", filepath.Join(built.Root(), "plugins", "llm",
				"model", "llm_fp32.onnx"),
				"--param", "tokenizer=" + folder, "--dataset", data, "--mode", "accuracy", "--scenario", "Offline",
				"--out", t.TempDir(), "--force"}
			harness.WantMessage(t, harness.Run(t, args...).WantCode(t, 6), c.says)
		})
	}
}

func jsonLines(t *testing.T, records []record) string {
	t.Helper()
	var text strings.Builder
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	return text.String()
}
