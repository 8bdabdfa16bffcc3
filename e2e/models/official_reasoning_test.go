package models

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	synthetic "github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// accuracyScripts are the official accuracy scripts of the reasoning models with their imports, in a folder of the
// test: the scripts are unchanged copies, and their submodules are links.
type accuracyScripts struct {
	python, dir string
	lacks       []string // graders that cannot run, by a part of their sets' names
}

// submodules are imports of the scripts that a checkout may lack: a file that shows it, the variable that names another
// place, and the grader that needs it.
var submodules = []struct{ name, has, variable, grader string }{
	{"prm800k", "prm800k/grading/grader.py", "PLUMBLINE_PRM800K", "math500"},
	{"LiveCodeBench", "lcb_runner/evaluation/testing_util.py", "PLUMBLINE_LCB", "livecodebench"},
}

// standIns replace modules that the scripts import but do not need, or that would load from a network: the problems of
// LiveCodeBench come from a file.
var standIns = map[string]string{
	"datasets.py": `import json, os


def load_dataset(*_, **__):
    with open(os.environ["PLUMBLINE_PROBLEMS"]) as f:
        return [json.loads(line) for line in f]
`,
	"anthropic.py": "HUMAN_PROMPT = AI_PROMPT = \"\"\n",
}

// officialScripts finds the scripts in the checkout that make test-official OF=reasoning names.
func officialScripts(t *testing.T) accuracyScripts {
	t.Helper()
	checkout, python := os.Getenv("PLUMBLINE_MLC"), os.Getenv("PYTHON")
	if checkout == "" || python == "" {
		t.Skip("PLUMBLINE_MLC and PYTHON name no official scripts and no Python: make test-official OF=reasoning MLC=DIR")
	}
	s := accuracyScripts{python: python, dir: t.TempDir()}
	for name, text := range standIns {
		testfile.WriteBelow(t, filepath.Join(s.dir, "standins", name), text)
	}
	for _, script := range []string{
		"deepseek-r1/eval_accuracy.py", "gpt-oss-120b/eval_accuracy.py", "gpt-oss-120b/eval_mlperf_accuracy.py",
	} {
		source := testfile.Read(t, filepath.Join(checkout, "language", filepath.FromSlash(script)))
		testfile.WriteBelow(t, filepath.Join(s.dir, filepath.FromSlash(script)), source)
	}
	for _, m := range submodules {
		if err := s.link(checkout, m.name, m.has, os.Getenv(m.variable)); err != nil {
			s.lacks = append(s.lacks, m.grader)
			t.Run(m.grader, func(t *testing.T) { t.Skipf("rows of %s are left out: %v", m.grader, err) })
		}
	}
	return s
}

// link links a submodule into both models' folders: from another place, or from the checkout.
func (s accuracyScripts) link(checkout, name, has, place string) error {
	for _, model := range []string{"deepseek-r1", "gpt-oss-120b"} {
		from := place
		if from == "" {
			from = filepath.Join(checkout, "language", model, "submodules", name)
		}
		if _, err := os.Stat(filepath.Join(from, filepath.FromSlash(has))); err != nil {
			return fmt.Errorf("%s is not there: %w", name, err)
		}
		folder := filepath.Join(s.dir, model, "submodules")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.Symlink(from, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// scored is a log with the files to score it.
type scored struct {
	log, table         string // table: as the script expects it
	tokenizer, problem string
}

// print returns a script's output for a log, from its result on.
func (s accuracyScripts) print(t *testing.T, model string, x scored) string {
	t.Helper()
	// the script of deepseek-r1 loads a tokenizer by this name, which may be a folder
	work := t.TempDir()
	tokenizer := filepath.Join(work, "deepseek-ai", "DeepSeek-R1")
	testfile.WriteBelow(t, filepath.Join(tokenizer, "tokenizer.json"), testfile.Read(t, x.tokenizer))
	testfile.WriteBelow(t, filepath.Join(tokenizer, "tokenizer_config.json"),
		`{"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": false}`)
	args, from := []string{filepath.Join(s.dir, "deepseek-r1", "eval_accuracy.py"), "--input-file", x.log,
		"--dataset-file", x.table, "--output-file", filepath.Join(work, "out.pkl")}, "\nResults\n"
	if model == "gpt-oss-120b" {
		args, from = []string{filepath.Join(s.dir, model, "eval_mlperf_accuracy.py"), "--mlperf-log", x.log,
			"--reference-data", x.table, "--tokenizer", tokenizer}, "\n"+strings.Repeat("=", 80)+"\nMLPerf Accuracy"
	}
	out := s.run(t, work, []string{"PLUMBLINE_PROBLEMS=" + x.problem}, args...)
	at := strings.LastIndex(out, from)
	if at < 0 {
		t.Fatalf("the official script printed no result:\n%s", out)
	}
	return out[at:]
}

// run returns the output of a Python program.
func (s accuracyScripts) run(t *testing.T, dir string, environment []string, args ...string) string {
	t.Helper()
	cmd := harness.Command(t, s.python, args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), environment, []string{
		"PYTHONPATH=" + filepath.Join(s.dir, "standins"), "HF_HUB_OFFLINE=1", "TQDM_DISABLE=1",
		"PYTHONDONTWRITEBYTECODE=1",
	})
	return harness.Finish(t, cmd).WantCode(t, 0).Stdout
}

// pickle turns a table of JSON lines into a pickle, the official form of deepseek-r1's.
func (s accuracyScripts) pickle(t *testing.T, lines, to string) {
	t.Helper()
	s.run(t, t.TempDir(), nil, "-c", `import json, pandas, sys
with open(sys.argv[1]) as f:
    pandas.DataFrame([json.loads(line) for line in f]).to_pickle(sys.argv[2])`, lines, to)
}

// TestOfficialReasoning runs the official accuracy scripts on logs that the built binaries wrote: each prints the same
// text as ours, for the embedded model's answers and for a server's that are hard to read.
func TestOfficialReasoning(t *testing.T) {
	s := officialScripts(t)
	for _, model := range []string{"deepseek-r1", "gpt-oss-120b"} {
		t.Run(model+" embedded", func(t *testing.T) { s.embedded(t, model) })
		t.Run(model+" at a server", func(t *testing.T) { s.atServer(t, model) })
	}
}

// embedded compares the scores of the embedded model's answers to the plugin's own questions.
func (s accuracyScripts) embedded(t *testing.T, model string) {
	dir := t.TempDir()
	set := map[string]string{"deepseek-r1": "deepseek", "gpt-oss-120b": "accuracy"}[model]
	rows, problems := filepath.Join(dir, "rows"), filepath.Join(dir, "test.jsonl")
	harness.Run(t, "dataset", "export", model, rows, "--param", "set="+set).WantCode(t, 0)
	if err := export.ReasoningProblemSets().Write(t.Context(), problems, set, 0, -1); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(dir, "data.pkl")
	s.pickle(t, filepath.Join(rows, "reasoning.jsonl"), table)
	tokenizer := filepath.Join(built.Root(), "plugins", "reasoning", "model", "tokenizer.json")
	s.compare(t, model, filepath.Join(rows, "reasoning.jsonl"),
		scored{table: table, tokenizer: tokenizer, problem: problems})
}

// atServer compares the scores of damaged worked answers, as a server gives them, on files in the official forms.
func (s accuracyScripts) atServer(t *testing.T, model string) {
	dir := t.TempDir()
	oss := model == "gpt-oss-120b"
	tokenizer, problems := officialdata.DeepSeekTokenizer, filepath.Join(dir, "test.jsonl")
	if oss {
		tokenizer = officialdata.HarmonyTokenizer
	}
	if err := tokenizer(dir); err != nil {
		t.Fatal(err)
	}
	if err := export.ReasoningProblemSets().Write(t.Context(), problems, "deepseek", 0, -1); err != nil {
		t.Fatal(err)
	}
	rows, answers := damaged(oss)
	lines := filepath.Join(dir, "rows.jsonl")
	x := scored{table: filepath.Join(dir, "acc_eval_inputs.parquet"), tokenizer: filepath.Join(dir, "tokenizer.json"),
		problem: problems}
	data := x.table
	for _, path := range []string{lines, x.table} {
		if err := officialdata.WriteLanguage(path, rows); err != nil {
			t.Fatal(err)
		}
	}
	owner, api := "vllm", []string(nil)
	if oss {
		owner, api = "sglang", []string{"--backend-opt", "api=sglang"}
	} else { // the pickle becomes what is read here, as a user makes it
		x.table = filepath.Join(dir, deepSeekFile+".pkl")
		data = filepath.Join(dir, deepSeekFile+".jsonl")
		s.pickle(t, lines, x.table)
		s.run(t, dir, nil, filepath.Join(built.Root(), "datasets", "convert", "convert.py"), x.table, data)
	}
	url := harness.StartMock(t, harness.MockOpenAI, nil, reasoningServer(owner, writeAnswers(t, answers))...)
	s.compare(t, model, lines, x, append(api, "--backend", "openai", "--backend-opt", "url="+url, "--dataset", data,
		"--param", "tokenizer="+dir, "--param", "problems="+problems, "--set",
		fmt.Sprintf("accuracy_sample_count_override=%d", len(rows)))...)
}

// compare runs a model, scores its log and lets the official script score it. lines has the rows' sets.
func (s accuracyScripts) compare(t *testing.T, model, lines string, x scored, flags ...string) {
	t.Helper()
	out := t.TempDir()
	harness.Run(t, append([]string{"run", model, "--mode", "accuracy", "--scenario", "Offline", "--out", out, "--force",
		"--param", "execute=" + s.python}, flags...)...).WantCode(t, 0)
	folder := filepath.Join(out, model, "Offline", "accuracy")
	x.log = filepath.Join(folder, "mlperf_log_accuracy.json")
	if len(s.lacks) > 0 {
		s.leaveOut(t, x.log, lines)
		harness.Run(t, "score", folder).WantCode(t, 0)
	}
	theirs, ours := s.print(t, model, x), testfile.Read(t, filepath.Join(folder, "accuracy.txt"))
	// beside the script's lines we print the hash and, for gpt-oss-120b, the tokens that its script does not print
	if !strings.HasPrefix(ours, strings.TrimRight(theirs, "\n")+"\n") {
		t.Errorf("accuracy.txt differs; the official script printed\n%s\nand ours is\n%s", theirs, ours)
	}
	t.Logf("%s", theirs)
}

// leaveOut removes from a log the entries of sets whose grader cannot run.
func (s accuracyScripts) leaveOut(t *testing.T, log, lines string) {
	t.Helper()
	var left []bool
	for _, line := range strings.SplitAfter(strings.TrimSpace(testfile.Read(t, lines)), "\n") {
		var row struct{ Dataset string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		left = append(left, slices.ContainsFunc(s.lacks, func(g string) bool { return strings.Contains(row.Dataset, g) }))
	}
	var entries []json.RawMessage
	var kept []string
	testfile.ReadJSON(t, log, &entries)
	for _, raw := range entries {
		var e struct {
			Index int `json:"qsl_idx"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if !left[e.Index] {
			kept = append(kept, string(raw))
		}
	}
	testfile.Write(t, log, "[\n"+strings.Join(kept, ",\n")+"\n]\n")
}

// harmonyNames are the names of the sets in gpt-oss-120b's data, by their names in deepseek-r1's.
var harmonyNames = map[string]string{
	"aime": "aime25", "gpqa": "gpqa_diamond", "livecodebench": "livecodebench_v6",
}

// damaged returns rows of all five sets, and a server's answers to them: worked answers that were made hard to read.
func damaged(oss bool) (rows []officialdata.LanguageRecord, answers []scripted) {
	random := rand.New(rand.NewPCG(29, 6))
	for i, from := range synthetic.DeepSeek()[:250] {
		answer := damage(random, from)
		row := officialdata.LanguageRecord{Dataset: from.Dataset}
		if !oss {
			row.TextInput, row.GTOutput = fmt.Sprintf("%d: %s", i, from.Question), from.Truth
			rows = append(rows, row)
			answers = append(answers, scripted{bytesOf(row.TextInput), append(bytesOf(from.Thought+answer), 1), nil})
			continue
		}
		if name := harmonyNames[row.Dataset]; name != "" {
			row.Dataset = name
		}
		row.Tokens, row.Truth = append(harmonyIDs("<|start|>user<|message|>"), harmonyIDs(fmt.Sprint(i))...), from.Truth
		rows = append(rows, row)
		open := "<|channel|>analysis<|message|>" + from.Thought + "<|end|><|start|>assistant<|channel|>final<|message|>"
		if random.IntN(8) == 0 {
			open = "<|channel|>analysis<|message|>" // which never ends
		}
		answers = append(answers, scripted{row.Tokens, harmonyIDs(open + answer + "<|return|>"), nil})
	}
	return rows, answers
}

// bytesOf returns the ids of a text in DeepSeek's vocabulary.
func bytesOf(text string) (ids []int32) {
	for _, b := range []byte(text) {
		ids = append(ids, int32(officialdata.DeepSeekByte(b)))
	}
	return ids
}

// marker matches one of harmony's markers.
var marker = regexp.MustCompile(`<\|\w+\|>`)

// harmonyIDs returns the ids of a text in gpt-oss' vocabulary, with harmony's markers.
func harmonyIDs(text string) (ids []int32) {
	names := map[string]int32{"<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008, "<|channel|>": 200005,
		"<|return|>": 200002}
	at := 0
	for _, m := range append(marker.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		for _, b := range []byte(text[at:m[0]]) {
			ids = append(ids, officialdata.HarmonyByte(b))
		}
		if at = m[1]; m[0] < m[1] {
			ids = append(ids, names[text[m[0]:m[1]]])
		}
	}
	return ids
}

// damage makes the worked answer to a row hard to read, or wrong, by chance.
func damage(random *rand.Rand, row synthetic.Row) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	text := row.Answer
	for range random.IntN(3) {
		switch random.IntN(6) {
		case 0:
			text += pick("\n", " I am sure.", " A dog.", "\nAnswer: C", " final answer = (b)", "\n**Answer:** D",
				" Answer: 12.5", ` \boxed{\frac{1}{2}}`, ` \boxed{0.5}`, ` \boxed{ 042 }`, ` \boxed{`,
				"\n```python\nprint(1)\n```", " an\u017fwer: e")
		case 1:
			text = pick("A dog. ", "(B) ", "**Answer:** B\n", "Answer: \u0661\u0662 ", `\boxed{7} `, "```\nx\n``` ") + text
		case 2:
			text = strings.Replace(text, pick(`\boxed{`, `\frac`, "```python", "Answer:", "}"),
				pick(`\fbox{`, `\tfrac`, "```python3", "answer is", "```", "} }", `\dfrac`), 1)
		case 3:
			text = strings.Replace(text, `\boxed{`,
				`\boxed{`+pick(" ", "0+", "x+", `\text{`, `\left(`, "-", "2*", "1,0", `\$`), 1)
		case 4:
			text = text[:len(text)-random.IntN(len(text)/4+1)]
		default:
			text = pick("['", `["`) + text + pick("']", `"]`)
		}
	}
	return text
}
