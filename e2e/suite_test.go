package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// suiteOfThree has three models, two configurations of MLMark and a matrix.
const suiteOfThree = `
name: three
defaults: {smoke: true}
runs:
- {run: resnet50, scenario: Offline, mode: performance, matrix: {precision: [fp32, int8]}}
- {run: mobilenet, mlmark: accuracy, precision: int8}
- {mlmark: FIRST.json, name: first}
- {mlmark: SECOND.json, name: second}
- {run: [bert-99, rnnt], mode: performance, scenario: SingleStream}
`

// tasks of MLMark in its own form.
const (
	throughputTask = `[{"target": "tensorflow", "workload": "resnet50",
		"params": {"hardware": "cpu", "mode": "throughput", "batch": 2, "concurrency": 2, "iterations": 64}}]`
	detectionTask = `[{"target": "openvino_ubuntu", "workload": "ssdmobilenet",
		"params": {"precision": "int8", "mode": "accuracy", "iterations": 1}}]`
)

// TestSuiteGoesOn kills a suite in the middle: the same command makes what is missing, and what was finished stays.
func TestSuiteGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	text := suiteOfThree
	for name, task := range map[string]string{"FIRST.json": throughputTask, "SECOND.json": detectionTask} {
		path := filepath.Join(dir, name)
		text = strings.ReplaceAll(text, name, path)
		writeText(t, path, task)
	}
	file := filepath.Join(dir, "three.yaml")
	writeText(t, file, text)
	args := []string{"run", file, "--out", out, "--quiet"}
	harness(t, append(args, "--dry-run")...).wantCode(t, 0).wantOutput(t, "resnet50 precision=int8", "first",
		"ssdmobilenet accuracy int8 batch 1", "rnnt")

	said := printed(filepath.Join(t.TempDir(), "stdout.txt"))
	stdout, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	cmd := command(t, harnessBinary(), args...)
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, cmd, said, string(said), "\nsecond\n")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	log := filepath.Join(out, "resnet50", "precision=fp32", "resnet50", "Offline", "performance", "run_1",
		"mlperf_log_detail.txt")
	task := filepath.Join(out, "first", "mlmark.json")
	before := readText(t, log) + readText(t, task)

	r := eitherWay(t, harness(t, args...))
	r.wantOutput(t, "first", "Top5", "mAP", "throughput", "not an MLMark score")
	if after := readText(t, log) + readText(t, task); after != before {
		t.Error("what was finished is made again")
	}
	var doc document
	readJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 6 {
		t.Errorf("%d runs, want two of resnet50, two accuracies, bert-99 and rnnt", len(doc.Runs))
	}
	var found struct {
		Scores []struct{ Metric string }
		Raw    []float64
	}
	err = json.Unmarshal([]byte(readText(t, task)), &found)
	if err != nil || len(found.Raw) != 65 || len(found.Scores) != 2 {
		t.Errorf("%v; %d raw times and %v, want 65, throughput and latency", err, len(found.Raw), found.Scores)
	}
}

// TestMLMarkOnADataSet scores five pictures of each class of a data set in ImageNet's layout, and of a part of it that
// a calibration list names.
func TestMLMarkOnADataSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole, part := filepath.Join(dir, "whole"), filepath.Join(dir, "part")
	list, task := filepath.Join(dir, "list.txt"), filepath.Join(dir, "accuracy.json")
	harness(t, "dataset", "export", "resnet50", whole).wantCode(t, 0)
	writeText(t, task, `[{"target": "tensorflow", "workload": "resnet50", "params": {"mode": "accuracy"}}]`)
	harness(t, "run", task, "--dataset", whole, "--out", filepath.Join(dir, "out"), "--quiet").wantCode(t, 0).wantOutput(t,
		"125 samples", "Top1", "Top5", "125 of 1000 pictures are used (per_class)")

	var names []string
	for line := range strings.Lines(readText(t, filepath.Join(whole, "val_map.txt"))) {
		if name, _, _ := strings.Cut(line, " "); len(names) < 7 {
			names = append(names, name)
		}
	}
	writeText(t, list, strings.Join(names, "\n"))
	harness(t, "dataset", "convert", "resnet50", "calibration", whole, part, "--param", "list="+list).wantCode(t, 0).
		wantOutput(t, "7 of 1000 pictures")
	harness(t, "run", "resnet50", "--dataset", part, "--mode", "accuracy", "--smoke", "--quiet", "--out",
		filepath.Join(dir, "part-out")).wantCode(t, 0).wantOutput(t, "7 samples")
}

// TestSubmissionOfASuite plans the runs of the models that a suite lists, with their own flags.
func TestSubmissionOfASuite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "edge.yaml")
	args := []string{"submission", "run", file, "--rehearsal", "--system-type", "edge", "--dry-run", "--out",
		filepath.Join(dir, "out")}
	writeText(t, file, "defaults: {smoke: true}\nruns:\n- {run: resnet50, rules: v5.0}\n- {run: bert-99, rules: v5.0}\n")
	harness(t, args...).wantCode(t, 0).wantOutput(t, "resnet50                SingleStream performance", "bert-99 ",
		"Offline TEST01", "of runs to make")
	for text, wants := range map[string][]string{
		"runs: [{run: resnet50, repeat: 2}, {run: bert-99, mlmark: latency}]": {
			"resnet50 (1 of 2): a submission has no tasks", "bert-99-latency: "},
		"runs: [{run: resnet50, mode: accuracy}, {run: bert-99, colour: red}]": {"--audit and --mode", `"colour"`},
	} {
		writeText(t, file, text)
		r := harness(t, args...).wantCode(t, 2)
		for _, want := range wants {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("%q is missing in:\n%s", want, r.stderr)
			}
		}
	}
}

// TestSuiteBudget lets no run begin after the budget, which is less than the first run takes.
func TestSuiteBudget(t *testing.T) {
	t.Parallel()
	plugins, err := cheaterPlugin()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "three.yaml")
	suite := func(takes, text string) result {
		writeText(t, file, text)
		cmd := command(t, harnessBinary(), "run", file, "--plugin-dir", plugins, "--out", filepath.Join(dir, "out"))
		cmd.Env = append(os.Environ(), "PLUMBLINE_CHEATER_TAKES="+takes)
		return finish(t, cmd)
	}
	const runs = "runs:\n- {run: honest, scenario: SingleStream, mode: performance, repeat: 3}\n"
	suite("20ms", "budget: 3s\n"+runs).wantCode(t, 130).wantOutput(t,
		"2 not made: the suite's budget is spent", "2 runs not made; the same command makes them")
	suite("1ms", runs).wantCode(t, 0).wantOutput(t, "3 of 3")
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDryRunOfASuiteStartsNothing: SECURITY.md says that a suite of a stranger can be looked at so. The run itself does
// what the suite says.
func TestDryRunOfASuiteStartsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	suite := write(t, filepath.Join(dir, "foreign.yaml"), "runs:\n- run: resnet50\n  scenario: Offline\n"+
		"  mode: performance\n  backend: process\n  backend-opt: {command: 'touch "+trace+"'}\n"+
		"  power: 'cmd:touch "+trace+"'\n")
	harness(t, "run", suite, "--dry-run", "--out", filepath.Join(dir, "out")).wantCode(t, 0).wantOutput(t, "Offline")
	if _, err := os.Lstat(trace); err == nil {
		t.Error("a command of the suite was run")
	}
	harness(t, "run", suite, "--out", filepath.Join(dir, "out")).wantCode(t, 5)
	if _, err := os.Lstat(trace); err != nil {
		t.Errorf("no command of the suite was run, though it is trusted: %v", err)
	}
}

// TestWholeRound runs what one plugin has of a round: a stand-in is counted as such, what the plugin does not have is
// named, and the same command makes nothing again.
func TestWholeRound(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	for range 2 {
		harness(t, "run", "--rules", "v6.1", "all", "--plugin", "agentic", "--out", out, "--quiet").wantCode(t, 0).
			wantOutput(t, "qwen3.6-27b  SingleStream", "1 HOLDS, 1 PASS", "1 with a stand-in, which is no model",
				"20 not in this build, no plugin here has it: 3d-unet-99, ")
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

// TestEveryRoundIsWhole: each benchmark of each round has a plugin here, but for GPT-3.
func TestEveryRoundIsWhole(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	for _, round := range mlconf.Rounds() {
		r := harness(t, "run", "--rules", round, "all", "--dry-run", "--out", out).wantCode(t, 0)
		for line := range strings.Lines(r.stdout) {
			if strings.Contains(line, "not in this build") && !strings.HasPrefix(line, "gpt3-99") {
				t.Errorf("%s: %s", round, line)
			}
		}
	}
}
