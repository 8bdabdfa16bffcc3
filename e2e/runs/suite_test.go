package runs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// suiteOfThree has three models, two configurations of MLMark and a matrix. Its runs are short and may therefore be
// INVALID.
const suiteOfThree = `
name: three
defaults: {smoke: true}
runs:
- run: resnet50
  scenario: Offline
  mode: performance
  count: 16
  set: [min_query_count=16, min_duration=0]
  matrix: {precision: [fp32, int8]}
- {run: mobilenet, mlmark: accuracy, precision: int8}
- {mlmark: FIRST.json, name: first}
- {mlmark: SECOND.json, name: second}
- {run: [bert-99, rnnt], mode: performance, scenario: SingleStream, count: 4, set: min_query_count=4}
`

// tasks of MLMark in its own form.
const (
	throughputTask = `[{"target": "tensorflow", "workload": "resnet50",
		"params": {"hardware": "cpu", "mode": "throughput", "batch": 2, "concurrency": 2, "iterations": 64}}]`
	detectionTask = `[{"target": "openvino_ubuntu", "workload": "ssdmobilenet",
		"params": {"precision": "int8", "mode": "accuracy", "iterations": 1}}]`
)

// TestSuiteGoesOn kills a suite in the middle: the same command makes the missing runs, and keeps the finished ones.
func TestSuiteGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	text := suiteOfThree
	for name, task := range map[string]string{"FIRST.json": throughputTask, "SECOND.json": detectionTask} {
		path := filepath.Join(dir, name)
		text = strings.ReplaceAll(text, name, path)
		testfile.Write(t, path, task)
	}
	file := filepath.Join(dir, "three.yaml")
	testfile.Write(t, file, text)
	args := []string{"run", file, "--out", out, "--quiet"}
	harness.Run(t, append(args, "--dry-run")...).WantCode(t, 0).WantOutput(t, "resnet50 precision=int8", "first",
		"ssdmobilenet accuracy int8 batch 1", "rnnt")

	said := harness.Printed(filepath.Join(t.TempDir(), "stdout.txt"))
	stdout, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	cmd := harness.Command(t, built.Harness(), args...)
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	harness.WaitForText(t, cmd, said, string(said), "\nsecond\n")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	log := filepath.Join(out, "resnet50", "precision=fp32", "resnet50", "Offline", "performance", "run_1",
		"mlperf_log_detail.txt")
	task := filepath.Join(out, "first", "mlmark.json")
	before := testfile.Read(t, log) + testfile.Read(t, task)

	r := harness.EitherWay(t, harness.Run(t, args...))
	r.WantOutput(t, "first", "Top5", "mAP", "throughput", "not an MLMark score")
	if after := testfile.Read(t, log) + testfile.Read(t, task); after != before {
		t.Error("what was finished is made again")
	}
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 6 {
		t.Errorf("%d runs, want two of resnet50, two accuracies, bert-99 and rnnt", len(doc.Runs))
	}
	var found struct {
		Scores []struct{ Metric string }
		Raw    []float64
	}
	err = json.Unmarshal([]byte(testfile.Read(t, task)), &found)
	if err != nil || len(found.Raw) != 65 || len(found.Scores) != 2 {
		t.Errorf("%v; %d raw times and %v, want 65, throughput and latency", err, len(found.Raw), found.Scores)
	}
}

// TestMLMarkOnADataSet scores five pictures of each class of a data set in ImageNet's layout, and of the part that a
// calibration list names.
func TestMLMarkOnADataSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole, part := filepath.Join(dir, "whole"), filepath.Join(dir, "part")
	list, task := filepath.Join(dir, "list.txt"), filepath.Join(dir, "accuracy.json")
	harness.Run(t, "dataset", "export", "resnet50", whole, "--param", "n=150").WantCode(t, 0)
	testfile.Write(t, task, `[{"target": "tensorflow", "workload": "resnet50", "params": {"mode": "accuracy"}}]`)
	harness.Run(t, "run", task, "--dataset", whole, "--out", filepath.Join(dir, "out"), "--quiet").WantCode(t,
		0).WantOutput(t,
		"125 samples", "Top1", "Top5", "125 of 150 pictures are used (per_class)")

	var names []string
	for line := range strings.Lines(testfile.Read(t, filepath.Join(whole, "val_map.txt"))) {
		if name, _, _ := strings.Cut(line, " "); len(names) < 7 {
			names = append(names, name)
		}
	}
	testfile.Write(t, list, strings.Join(names, "\n"))
	harness.Run(t, "dataset", "convert", "resnet50", "calibration", whole, part, "--param", "list="+list).WantCode(t, 0).
		WantOutput(t, "7 of 150 pictures")
	harness.Run(t, "run", "resnet50", "--dataset", part, "--mode", "accuracy", "--smoke", "--quiet", "--out",
		filepath.Join(dir, "part-out")).WantCode(t, 0).WantOutput(t, "7 samples")
}

// TestSubmissionOfASuite plans the runs of the models that a suite lists, with their own flags.
func TestSubmissionOfASuite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "edge.yaml")
	args := []string{"submission", "run", file, "--rehearsal", "--system-type", "edge", "--dry-run", "--out",
		filepath.Join(dir, "out")}
	testfile.Write(t, file,
		"defaults: {smoke: true}\nruns:\n- {run: resnet50, rules: v5.0}\n- {run: bert-99, rules: v5.0}\n")
	harness.Run(t, args...).WantCode(t, 0).WantOutput(t, "resnet50                SingleStream performance", "bert-99 ",
		"Offline TEST01", "of runs to make")
	for text, wants := range map[string][]string{
		"runs: [{run: resnet50, repeat: 2}, {run: bert-99, mlmark: latency}]": {
			"resnet50 (1 of 2): a submission has no tasks", "bert-99-latency: "},
		"runs: [{run: resnet50, mode: accuracy}, {run: bert-99, colour: red}]": {"--audit and --mode", `"colour"`},
	} {
		testfile.Write(t, file, text)
		r := harness.Run(t, args...).WantCode(t, 2)
		for _, want := range wants {
			if !strings.Contains(r.Stderr, want) {
				t.Errorf("%q is missing in:\n%s", want, r.Stderr)
			}
		}
	}
}

// TestSuiteBudget: no run begins after the budget, which is shorter than the first run.
func TestSuiteBudget(t *testing.T) {
	t.Parallel()
	plugins := built.Cheater()
	dir := t.TempDir()
	file := filepath.Join(dir, "three.yaml")
	suite := func(takes, text string) harness.Result {
		testfile.Write(t, file, text)
		cmd := harness.Command(t, built.Harness(), "run", file, "--plugin-dir", plugins, "--out", filepath.Join(dir, "out"))
		cmd.Env = append(os.Environ(), "PLUMBLINE_CHEATER_TAKES="+takes)
		return harness.Finish(t, cmd)
	}
	const runs = "runs:\n- {run: honest, scenario: SingleStream, mode: performance, repeat: 3}\n"
	suite("20ms", "budget: 3s\n"+runs).WantCode(t, 130).WantOutput(t,
		"2 not made: the suite's budget is spent", "2 of 3 runs not made; the same command makes them")
	suite("1ms", runs).WantCode(t, 0).WantOutput(t, "3 of 3")
}

// TestDryRunOfASuiteStartsNothing: SECURITY.md says that a dry run shows a stranger's suite safely. The run itself
// executes the suite.
func TestDryRunOfASuiteStartsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	suite := testfile.Write(t, filepath.Join(dir, "foreign.yaml"), "runs:\n- run: resnet50\n  scenario: Offline\n"+
		"  mode: performance\n  backend: process\n  backend-opt: {command: 'touch "+trace+"'}\n"+
		"  power: 'cmd:touch "+trace+"'\n")
	harness.Run(t, "run", suite, "--dry-run", "--out", filepath.Join(dir, "out")).WantCode(t, 0).WantOutput(t, "Offline")
	if _, err := os.Lstat(trace); err == nil {
		t.Error("a command of the suite was run")
	}
	harness.Run(t, "run", suite, "--out", filepath.Join(dir, "out")).WantCode(t, 5)
	if _, err := os.Lstat(trace); err != nil {
		t.Errorf("no command of the suite was run, though it is trusted: %v", err)
	}
}

// TestWholeRound runs a plugin's share of a round: a stand-in is counted as such, missing parts are named, and the same
// command repeats nothing.
func TestWholeRound(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	for range 2 {
		harness.Run(t, "run", "--rules", "v6.1", "all", "--plugin", "agentic", "--out", out, "--quiet").WantCode(t, 0).
			WantOutput(t, "qwen3.6-27b  SingleStream", "1 HOLDS, 1 PASS", "1 with a stand-in instead of a model",
				"20 left out by --plugin agentic: 3d-unet-99, ")
	}
	var d struct {
		Suite      string
		Benchmarks []struct{ Name, Left string }
		Runs       []struct{ Dir string }
	}
	text, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil || d.Suite != "round v6.1" || len(d.Benchmarks) != 21 || len(d.Runs) != 2 {
		t.Errorf("%v: %s has %d benchmarks and %d runs", err, d.Suite, len(d.Benchmarks), len(d.Runs))
	}
}

// TestNewestRoundIsWhole: each benchmark of the newest round has a plugin here. The suite's own tests check all rounds.
func TestNewestRoundIsWhole(t *testing.T) {
	t.Parallel()
	r := harness.Run(t, "run", "all", "--dry-run", "--out", filepath.Join(t.TempDir(), "out")).WantCode(t, 0)
	if strings.Contains(r.Stdout, "not in this build") {
		t.Errorf("a plugin is missing:\n%s", r.Stdout)
	}
}
