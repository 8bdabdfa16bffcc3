package runs_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

const someRuns = `
budget: 1h
defaults: {mode: performance}
runs:
- {run: resnet50, scenario: Offline, repeat: 2, matrix: {batch: [1, 2]}}
- {run: resnet50, name: answers, mode: accuracy}
`

func TestSuite(t *testing.T) {
	s := clitest.New(t)
	file := s.File("nightly.yaml", someRuns)
	s.Want(0, s.Run("run", file, "--dry-run", "--out", s.Out()), "resnet50 batch=2 (1 of 2)", "resnet50/batch=2/1",
		"answers", "Offline accuracy")
	if _, err := os.Stat(s.Out()); err == nil {
		t.Error("a dry run writes")
	}
	s.Want(0, s.Run("run", file, "--out", s.Out()), "nightly, in "+s.Out(), "resnet50 batch=1  Offline", "95.000 %")
	d := s.Result()
	if d.Suite != "nightly" || len(d.Runs) != 5 {
		t.Fatalf("suite %q has %d runs, want 2 repeats of 2 batches and one more", d.Suite, len(d.Runs))
	}
	for _, r := range d.Runs {
		for _, f := range r.Files {
			if _, err := os.Stat(s.Out(f.Path)); err != nil {
				t.Error(err)
			}
		}
	}
	if d.Runs[0].Dir != "resnet50/batch=1/1/resnet50/Offline/performance/run_1" {
		t.Errorf("the first run is in %s", d.Runs[0].Dir)
	}
}

// TestNamesOfASuite: its runs are called by label, entry, point and repeat, in the records of the suite and of each
// run, and in what is printed; a label that is changed later is that of runs that are there.
func TestNamesOfASuite(t *testing.T) {
	s := clitest.New(t)
	file := s.File("nightly.yaml", strings.ReplaceAll(someRuns, "repeat: 2,", "repeat: 2, label: mine,"))
	s.Want(0, s.Run("run", file, "--out", s.Out(), "--fail-if", "Offline.result < 0"), "mine: resnet50 batch=2  Offline")
	wants := []record.Identity{
		{Label: "mine", Point: []string{"batch=1"}, Repeat: 1, Repeats: 2}, {Label: "mine", Point: []string{"batch=2"},
			Repeat: 1, Repeats: 2}, {Entry: "answers"},
	}
	d := s.Result()
	for i, want := range wants {
		if got := d.Runs[i].Identity; !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got := s.Result("resnet50", "batch=2", "1").Runs[0].Name(); got !=
		"mine: resnet50 Offline performance batch=2 (1 of 2)" {
		t.Error(got)
	}
	s.Want(3, s.Run("run", file, "--out", s.Out(), "--fail-if", "Offline.result > 0", "--force"),
		"failed: Offline.result > 0: mine: resnet50 Offline performance batch=2 (2 of 2)")
	file = s.File("nightly.yaml", strings.ReplaceAll(someRuns, "repeat: 2,", "repeat: 2, label: yours,"))
	opened := len(s.Fakes["resnet50"].Opened())
	s.Want(0, s.Run("run", file, "--out", s.Out()), "yours: resnet50 batch=2  Offline")
	if got := s.Result().Runs[0].Identity.Label; got != "yours" || len(s.Fakes["resnet50"].Opened()) != opened {
		t.Errorf("the label is %q, and runs were made again", got)
	}
}

// TestInterruptedRunsDoNotCount: the table of a suite has the median of the runs that came to their end.
func TestInterruptedRunsDoNotCount(t *testing.T) {
	const runs = "runs:\n- {run: resnet50, scenario: Server, mode: performance, repeat: 2}\n"
	m := momentOf(t, 0)
	m.Want(0, m.run("run", m.File("a.yaml", runs), "--out", m.Out()))
	second := slices.Index(m.kinds[1+slices.Index(m.kinds, "query"):], "query") + 2 + slices.Index(m.kinds, "query")
	m = momentOf(t, second)
	m.Want(130, m.run("run", m.File("a.yaml", runs), "--out", m.Out()), "1 VALID (smoke), 1 INTERRUPTED")
	d := m.Result()
	whole, broken := d.Runs[0].Performance, d.Runs[1].Performance
	if broken == nil || d.Runs[1].Status != record.Interrupted {
		t.Fatalf("the second run is %s, and has measured %+v", d.Runs[1].Status, broken)
	}
	m.Want(130, 130, "1 INTERRUPTED  "+whole.Metric.String()+"  ")
	if strings.Contains(m.Stdout.String(), broken.Metric.Rounded+", ") ||
		strings.Contains(m.Stdout.String(), ", "+broken.Metric.Rounded) {
		t.Errorf("%s of the interrupted run counts:\n%s", broken.Metric, m.Stdout.String())
	}
}

func TestSuiteFailIf(t *testing.T) {
	s := clitest.New(t)
	file := s.File("nightly.yaml", someRuns)
	s.Want(0, s.Run("run", file, "--out", s.Out(), "--fail-if", "Offline.result < 0"))
	s.Want(3, s.Run("run", file, "--out", s.Out(), "--fail-if", "accuracy < 99%"),
		"failed: accuracy < 99%: answers: resnet50 Offline accuracy 95.000 %")
	s.Want(2, s.Run("run", file, "--out", s.Out(), "--fail-if", "Server.p99 > 1ms"), "there is no such run")
	s.Want(2, s.Run("run", file, "--out", s.Out(), "--fail-if", "p99"), "no operator")
	s.Want(2, s.Run("run", file, "--repeat", "3"), "--repeat: write it into the suite")
}

// TestConditionsBeforeTheFirstRun: conditions that no run of a suite, of all of a round or of a plan can meet are
// refused before anything runs, by --dry-run too; no folder is made.
func TestConditionsBeforeTheFirstRun(t *testing.T) {
	s := clitest.New(t)
	suite := s.File("nightly.yaml", "runs:\n- {run: resnet50, scenario: Offline, matrix: {batch: [1, 2]}}\n")
	for _, c := range []struct{ condition, says string }{
		{"p98 > 5ms", `unknown metric "p98"; did you mean "p9`},
		{"p99 > 5 parsecs", "the unit of p99 is ns, us, ms or s"},
		{"Server.p99 > 5ms", "there is no such run"},
		{"bert/p99 > 5ms", "there is no such run"},
		{"result > +5%", "compares with a base"},
		{"accuracy.F1 < 90%", `unknown metric "accuracy.F1"`},
		{"power.average > 9 W", "power.average is not measured here; it takes --power METER"},
		{"query.p99 > 5ms", "unknown metric"},
		{"target_qps < 5", "unknown metric"},
	} {
		for _, what := range [][]string{
			{suite}, {suite, "--dry-run"}, {"all", "--scenario", "Offline"}, {"all", "--scenario", "Offline", "--dry-run"},
			{"resnet50", "--scenario", "Offline"}, {"resnet50", "--scenario", "Offline", "--dry-run", "--repeat", "2"},
		} {
			s.Want(2, s.Run(append(append([]string{"run"}, what...), "--out", s.Out(), "--fail-if", c.condition)...), c.says)
		}
	}
	for _, condition := range []string{
		"p99 > 5ms", "resnet50/Offline.result < 5", "result < 5 tokens/s", "accuracy < 99%",
		"samples_per_second < 9 samples/s",
	} {
		s.Want(0, s.Run("run", suite, "--out", s.Out(), "--dry-run", "--fail-if", condition))
	}
	for _, condition := range []string{"power.average > 9 W", "power.efficiency < 5 tokens/J", "power.efficiency < 5"} {
		s.Want(0, s.Run("run", "resnet50", "--power", "cmd:true", "--dry-run", "--fail-if", condition))
	}
	s.Want(0, s.Run("run", "resnet50", "--mode", "findpeak", "--dry-run", "--fail-if", "target_qps < 5"))
	if _, err := os.Stat(s.Out()); err == nil {
		t.Error("a folder was made")
	}
	if n := len(s.Fakes["resnet50"].Opened()); n > 0 {
		t.Errorf("%d workloads were opened", n)
	}
}

func TestSuiteGoesOn(t *testing.T) {
	s := clitest.New(t)
	file := s.File("nightly.yaml", someRuns)
	s.Want(0, s.Run("run", file, "--out", s.Out()))
	opened := len(s.Fakes["resnet50"].Opened())
	s.Want(0, s.Run("run", file, "--out", s.Out()), "VALID")
	if now := len(s.Fakes["resnet50"].Opened()); now != opened {
		t.Errorf("finished runs are made again: %d workloads after %d", now, opened)
	}
	if err := os.RemoveAll(s.Out("answers")); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("run", file, "--out", s.Out(), "--json"))
	if now := len(s.Fakes["resnet50"].Opened()); now != opened+1 {
		t.Errorf("%d runs were made, want the one that is missing", now-opened)
	}
	var d record.Document
	if err := json.Unmarshal([]byte(s.Stdout.String()), &d); err != nil || len(d.Runs) != 5 {
		t.Errorf("%v: %d runs in the JSON, want 5", err, len(d.Runs))
	}
	s.Want(0, s.Run("run", file, "--out", s.Out(), "--force"))
	if now := len(s.Fakes["resnet50"].Opened()); now != opened+1+5 {
		t.Errorf("--force makes %d runs, want 5", now-opened-1)
	}
}

// TestSuiteSettlesFoldersOfTheKilled: what a harness that was killed left in a folder in which all is made goes when
// the suite goes on, though nothing opens the folder any more.
func TestSuiteSettlesFoldersOfTheKilled(t *testing.T) {
	s := clitest.New(t)
	file := s.File("nightly.yaml", `
runs:
- {run: resnet50, scenario: Offline, mode: performance}
- {run: resnet50, mlmark: throughput, iterations: 5, name: task}
- {run: resnet50, mode: accuracy, name: answers}
`)
	s.Want(0, s.Run("run", file, "--out", s.Out()))
	for _, job := range []string{"resnet50", "task", "answers"} {
		s.File(filepath.Join("out", job, lock), "")
		s.File(filepath.Join("out", job, "result.json."+strings.Repeat("A", 26)+".tmp"), "{")
	}
	opened := len(s.Fakes["resnet50"].Opened())
	s.Want(0, s.Run("run", file, "--out", s.Out()))
	if now := len(s.Fakes["resnet50"].Opened()); now != opened {
		t.Errorf("%d runs are made again", now-opened)
	}
	for _, left := range []string{lock, "*.tmp"} {
		if found, err := filepath.Glob(s.Out("*", left)); err != nil || len(found) > 0 {
			t.Errorf("%v; %q are left", err, found)
		}
	}
}

func TestSuiteRefuses(t *testing.T) {
	s := clitest.New(t)
	for text, wants := range map[string][]string{
		"runs: [{run: resnet51}, {run: resnet50, batch: many, scenaro: Offline}]": {
			`resnet51: `, `--batch "many": want a whole number`, `did you mean "scenario"?`},
		"runs: [{run: resnet50, out: x}]":           {"out: is given on the command line"},
		"runs: [{run: resnet50, set: {nokey: 1}}]":  {"nokey"},
		"runs: [{run: resnet50, scenario: Severe}]": {`"Severe"`},
		"runs: {}": {"want a list"},
		// all faults at once: of the file, of flags beside it, of the plan
		"budget: soon\nruns:\n- {run: null}\n- {run: resnet50, matrix: 3}\n- {run: resnet50, name: a, mode: fast}\n" +
			"- {run: resnet51}": {"budget: line 1", "null is nothing in YAML", "matrix: line 4", `unknown mode "fast"`,
			`did you mean "resnet50"?`},
	} {
		s.Want(2, s.Run("run", s.File("a.yaml", text), "--out", s.Out()), wants...)
	}
	file := s.File("a.yaml", someRuns)
	s.Want(2, s.Run("run", file, "--batch", "4", "--smoke"), "--batch: write it into the suite", "--smoke: write it")
	s.Want(2, s.Run("run", s.Out("none.yaml")), "new suite")
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--out", s.Out()))
	s.Want(2, s.Run("run", file, "--out", s.Out()), "none of a suite")
}

func TestSuiteOfWhichARunFails(t *testing.T) {
	s := clitest.New(t)
	file := s.File("a.yaml", strings.ReplaceAll(someRuns, "mode: accuracy", "mode: accuracy, target: accuracy=99"))
	s.Want(4, s.Run("run", file, "--out", s.Out()), "BELOW", "VALID")
}

func TestNewSuite(t *testing.T) {
	s := clitest.New(t)
	path := s.Out() + ".yaml"
	s.Want(0, s.Run("new", "suite", path), "harness run "+path)
	s.Want(2, s.Run("new", "suite", path), "is there already")
	s.Want(2, s.Run("new", "suite"), "the file to write")
}

func TestMLMarkTasks(t *testing.T) {
	s := clitest.New(t)
	config := s.File("rn.json",
		`[{"target": "tensorflow", "workload": "resnet50", "params": {"batch": 2, "concurrency": 2, "iterations": 20}}]`)
	s.Want(0, s.Run("run", config, "--out", s.Out(), "--note", "mine"), "throughput", "fps", "latency",
		"not an MLMark score",
		"rules ask for at least 1024", "note      mine")
	if strings.Contains(s.Stdout.String(), "from, to") {
		t.Errorf("a table without rows is printed:\n%s", s.Stdout.String())
	}
	o := s.Fakes["resnet50"].Opened()
	if got := o[len(o)-1]; got.Batch != 2 || got.Sessions != 2 || got.Scenario != loadgen.Offline {
		t.Errorf("the workload was opened with %+v", got)
	}
	var d mlmark.TaskDocument
	text, err := os.ReadFile(s.Out("rn", mlmark.FileName))
	if err = errors.Join(err, json.Unmarshal(text, &d)); err != nil {
		t.Fatal(err)
	}
	if len(d.Raw) != 21 || d.Task.Target != "tensorflow" || d.Run.Plugin.SHA256 == "" || d.Run.Stated.Note != "mine" {
		t.Errorf("%d raw times of %+v", len(d.Raw), d.Task)
	}
	s.Want(0, s.Run("run", config, "--out", s.Out(), "--note", "mine"), "fps")
	if n := len(s.Fakes["resnet50"].Opened()); n != len(o) {
		t.Error("a task that is there is run again")
	}
	precious := s.File("precious", "precious")
	if err := errors.Join(os.Remove(s.Out("mlmark.csv")), os.Symlink(precious, s.Out("mlmark.csv"))); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("run", config, "--out", s.Out(), "--note", "mine", "--force"))
	if n := len(s.Fakes["resnet50"].Opened()); n != len(o)+1 {
		t.Error("--force does not run it again")
	}
	if text, err := os.ReadFile(precious); string(text) != "precious" {
		t.Errorf("the table was written through a link: %v", err)
	}
	if text, err := os.ReadFile(s.Out("mlmark.csv")); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("%v; mlmark.csv has\n%s", err, text)
	}
}

// TestSuiteWhoseRunsFail ends with the failure's own code, not as one that was interrupted: the others are made, and
// nothing is left.
func TestSuiteWhoseRunsFail(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].DieAfter = 30
	file := s.File("a.yaml", `
runs:
- {run: resnet50, mlmark: throughput, iterations: 200, name: dies}
- {run: resnet50, mlmark: throughput, iterations: 5, name: lives}
`)
	s.Want(5, s.Run("run", file, "--out", s.Out()), "dies", "it could not be made", "lives", "fps")
	if strings.Contains(s.Stdout.String(), "the same command makes them") {
		t.Errorf("a run that failed is said to be left:\n%s", s.Stdout.String())
	}
}

func TestMLMarkTasksThatCannotRun(t *testing.T) {
	s := clitest.New(t)
	for text, want := range map[string]string{
		`[{"target": "t", "workload": "resnet50", "params": {"hardware": "tpu"}}]`:      "say which device",
		`[{"target": "t", "workload": "resnet50", "params": {"batch_size": 1}}]`:        `"batch_size"`,
		`[{"target": "t", "workload": "ssdmobilenet", "params": {"mode": "accuracy"}}]`: "ssd-mobilenet",
	} {
		s.Want(2, s.Run("run", s.File("a.json", text), "--out", s.Out()), want)
	}
	s.Want(2, s.Run("run", s.File("a.json", "[]"), "resnet50"), "2 arguments")
}
