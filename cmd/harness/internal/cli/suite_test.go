package cli

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
)

const someRuns = `
budget: 1h
defaults: {mode: performance}
runs:
- {run: resnet50, scenario: Offline, repeat: 2, matrix: {batch: [1, 2]}}
- {run: resnet50, name: answers, mode: accuracy}
`

func TestSuite(t *testing.T) {
	s := newShell(t)
	file := s.write("nightly.yaml", someRuns)
	s.want(0, s.run("run", file, "--dry-run", "--out", s.out()), "resnet50 batch=2 (1 of 2)", "resnet50/batch=2/1",
		"answers", "Offline accuracy")
	if _, err := os.Stat(s.out()); err == nil {
		t.Error("a dry run writes")
	}
	s.want(0, s.run("run", file, "--out", s.out()), "nightly, in "+s.out(), "resnet50 batch=1  Offline", "95.000 %")
	d := s.result()
	if d.Suite != "nightly" || len(d.Runs) != 5 {
		t.Fatalf("suite %q has %d runs, want 2 repeats of 2 batches and one more", d.Suite, len(d.Runs))
	}
	for _, r := range d.Runs {
		for _, f := range r.Files {
			if _, err := os.Stat(s.out(f.Path)); err != nil {
				t.Error(err)
			}
		}
	}
	if d.Runs[0].Dir != "resnet50/batch=1/1/resnet50/Offline/performance/run_1" {
		t.Errorf("the first run is in %s", d.Runs[0].Dir)
	}
}

func TestSuiteFailIf(t *testing.T) {
	s := newShell(t)
	file := s.write("nightly.yaml", someRuns)
	s.want(0, s.run("run", file, "--out", s.out(), "--fail-if", "Offline.result < 0"))
	s.want(3, s.run("run", file, "--out", s.out(), "--fail-if", "accuracy < 99%"),
		"failed: accuracy < 99%: resnet50 Offline accuracy 95.000 %")
	s.want(2, s.run("run", file, "--out", s.out(), "--fail-if", "Server.p99 > 1ms"), "there is no such run")
	s.want(2, s.run("run", file, "--out", s.out(), "--fail-if", "p99"), "no operator")
	s.want(2, s.run("run", file, "--repeat", "3"), "--repeat: write it into the suite")
}

func TestSuiteGoesOn(t *testing.T) {
	s := newShell(t)
	file := s.write("nightly.yaml", someRuns)
	s.want(0, s.run("run", file, "--out", s.out()))
	opened := len(s.fakes["resnet50"].Opened())
	s.want(0, s.run("run", file, "--out", s.out()), "VALID")
	if now := len(s.fakes["resnet50"].Opened()); now != opened {
		t.Errorf("finished runs are made again: %d workloads after %d", now, opened)
	}
	if err := os.RemoveAll(s.out("answers")); err != nil {
		t.Fatal(err)
	}
	s.want(0, s.run("run", file, "--out", s.out(), "--json"))
	if now := len(s.fakes["resnet50"].Opened()); now != opened+1 {
		t.Errorf("%d runs were made, want the one that is missing", now-opened)
	}
	var d record.Document
	if err := json.Unmarshal([]byte(s.stdout.String()), &d); err != nil || len(d.Runs) != 5 {
		t.Errorf("%v: %d runs in the JSON, want 5", err, len(d.Runs))
	}
	s.want(0, s.run("run", file, "--out", s.out(), "--force"))
	if now := len(s.fakes["resnet50"].Opened()); now != opened+1+5 {
		t.Errorf("--force makes %d runs, want 5", now-opened-1)
	}
}

func TestSuiteRefuses(t *testing.T) {
	s := newShell(t)
	for text, wants := range map[string][]string{
		"runs: [{run: resnet51}, {run: resnet50, batch: many, scenaro: Offline}]": {
			`resnet51: `, `--batch "many": want a whole number`, `did you mean "scenario"?`},
		"runs: [{run: resnet50, out: x}]":           {"out: is given on the command line"},
		"runs: [{run: resnet50, set: {nokey: 1}}]":  {"nokey"},
		"runs: [{run: resnet50, scenario: Severe}]": {`"Severe"`},
		"runs: {}": {"want a list"},
	} {
		s.want(2, s.run("run", s.write("a.yaml", text), "--out", s.out()), wants...)
	}
	file := s.write("a.yaml", someRuns)
	s.want(2, s.run("run", file, "--batch", "4", "--smoke"), "--batch: write it into the suite", "--smoke: write it")
	s.want(2, s.run("run", s.out("none.yaml")), "new suite")
	s.want(0, s.run("run", "resnet50", "--scenario", "Offline", "--out", s.out()))
	s.want(2, s.run("run", file, "--out", s.out()), "none of a suite")
}

func TestSuiteOfWhichARunFails(t *testing.T) {
	s := newShell(t)
	file := s.write("a.yaml", strings.ReplaceAll(someRuns, "mode: accuracy", "mode: accuracy, target: accuracy=99"))
	s.want(4, s.run("run", file, "--out", s.out()), "BELOW", "VALID")
}

func TestNewSuite(t *testing.T) {
	s := newShell(t)
	path := s.out() + ".yaml"
	s.want(0, s.run("new", "suite", path), "harness run "+path)
	s.want(2, s.run("new", "suite", path), "is there already")
	s.want(2, s.run("new", "suite"), "the file to write")
}

func TestMLMarkTasks(t *testing.T) {
	s := newShell(t)
	config := s.write("rn.json",
		`[{"target": "tensorflow", "workload": "resnet50", "params": {"batch": 2, "concurrency": 2, "iterations": 20}}]`)
	s.want(0, s.run("run", config, "--out", s.out(), "--note", "mine"), "throughput", "fps", "latency",
		"not an MLMark score",
		"rules ask for at least 1024", "note      mine")
	o := s.fakes["resnet50"].Opened()
	if got := o[len(o)-1]; got.Batch != 2 || got.Sessions != 2 || got.Scenario != loadgen.Offline {
		t.Errorf("the workload was opened with %+v", got)
	}
	var d mlmark.Document
	text, err := os.ReadFile(s.out("rn", mlmark.FileName))
	if err = errors.Join(err, json.Unmarshal(text, &d)); err != nil {
		t.Fatal(err)
	}
	if len(d.Raw) != 21 || d.Task.Target != "tensorflow" || d.Run.Plugin.SHA256 == "" || d.Run.Stated.Note != "mine" {
		t.Errorf("%d raw times of %+v", len(d.Raw), d.Task)
	}
	s.want(0, s.run("run", config, "--out", s.out(), "--note", "mine"), "fps")
	if n := len(s.fakes["resnet50"].Opened()); n != len(o) {
		t.Error("a task that is there is run again")
	}
	precious := s.write("precious", "precious")
	if err := errors.Join(os.Remove(s.out("mlmark.csv")), os.Symlink(precious, s.out("mlmark.csv"))); err != nil {
		t.Fatal(err)
	}
	s.want(0, s.run("run", config, "--out", s.out(), "--note", "mine", "--force"))
	if n := len(s.fakes["resnet50"].Opened()); n != len(o)+1 {
		t.Error("--force does not run it again")
	}
	if text, err := os.ReadFile(precious); string(text) != "precious" {
		t.Errorf("the table was written through a link: %v", err)
	}
	if text, err := os.ReadFile(s.out("mlmark.csv")); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("%v; mlmark.csv has\n%s", err, text)
	}
}

// TestSuiteWhoseRunsFail ends with the failure's own code, not as one that was interrupted: the others are made, and
// nothing is left.
func TestSuiteWhoseRunsFail(t *testing.T) {
	s := newShell(t)
	s.fakes["resnet50"].DieAfter = 30
	file := s.write("a.yaml", `
runs:
- {run: resnet50, mlmark: throughput, iterations: 200, name: dies}
- {run: resnet50, mlmark: throughput, iterations: 5, name: lives}
`)
	s.want(5, s.run("run", file, "--out", s.out()), "dies", "it could not be made", "lives", "fps")
	if strings.Contains(s.stdout.String(), "the same command makes them") {
		t.Errorf("a run that failed is said to be left:\n%s", s.stdout.String())
	}
}

func TestMLMarkTasksThatCannotRun(t *testing.T) {
	s := newShell(t)
	for text, want := range map[string]string{
		`[{"target": "t", "workload": "resnet50", "params": {"hardware": "tpu"}}]`:      "say which device",
		`[{"target": "t", "workload": "resnet50", "params": {"batch_size": 1}}]`:        `"batch_size"`,
		`[{"target": "t", "workload": "ssdmobilenet", "params": {"mode": "accuracy"}}]`: "ssd-mobilenet",
	} {
		s.want(2, s.run("run", s.write("a.json", text), "--out", s.out()), want)
	}
	s.want(2, s.run("run", s.write("a.json", "[]"), "resnet50"), "2 arguments")
}
