package assemble

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"

	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// official is the version that the logs of the tests' runs name.
const official = "6.0.17 @ 0123456789"

// shortLog is a detail log of another run.
const shortLog = ":::MLLOG {\"key\": \"loadgen_version\", \"value\": \"6\"}\n"

// made is an output directory of runs that a test makes up.
type made struct {
	t    *testing.T
	dir  string
	runs []record.Run
}

func newOut(t *testing.T) *made { return &made{t: t, dir: t.TempDir()} }

// run adds a run as harness run writes it: a log, and for accuracy the log of answers and its score.
func (m *made) run(rulesKey, scenario, mode string, change ...func(*record.Run)) *made {
	m.t.Helper()
	r := record.Run{
		Model: rulesKey, RulesKey: rulesKey, LoadGenKey: "key", Scenario: scenario, Mode: mode, Status: record.Complete,
		Profile: "official", Rules: "v6.1", Division: "closed", Verdict: "VALID",
		Command: []string{"/opt/harness", "run", rulesKey, "--note", "a b"},
		Workload: &record.Workload{
			ModelFile: "/models/m.onnx", Precision: "fp32", BackendInfo: map[string]string{"version": "RT 1"},
		},
		Options: record.Options{Dataset: "/data"},
		Settings: []record.Setting{
			{Key: "target_qps", Value: "20", Origin: "user.conf:1"},
			{Key: "min_duration", Value: "600000", Origin: "rules v6.1 (*)"},
		},
	}
	r.Dir = path.Join(rulesKey, scenario, "performance/run_1")
	if mode == "accuracy" {
		r.Dir = path.Join(rulesKey, scenario, "accuracy")
		r.Accuracy = &record.Accuracy{Verdict: judge.Verdict{Outcome: judge.Pass}}
	} else {
		r.Performance = &record.Performance{Valid: true}
	}
	for _, c := range change {
		c(&r)
	}
	m.logs(r)
	m.runs = append(m.runs, r)
	m.save()
	return m
}

func (m *made) logs(r record.Run) {
	m.write(path.Join(r.Dir, tree.DetailLog), fmt.Sprintf(":::MLLOG {\"key\": \"loadgen_version\", \"value\": \"%s\", "+
		"\"metadata\": {}}\n# %s %s %s %s\n", official, r.RulesKey, r.Scenario, r.Mode, r.Test))
	m.write(path.Join(r.Dir, tree.SummaryLog), "summary\n")
	m.write(path.Join(r.Dir, tree.TraceLog), "")
	if r.Mode == "accuracy" {
		m.write(path.Join(r.Dir, tree.AccuracyLog), strings.Repeat("[0123456789 "+r.Scenario+"]\n", 2000))
		m.write(path.Join(r.Dir, tree.AccuracyText), "accuracy=99.000%, good=99, total=100\n")
	}
}

func (m *made) save() {
	m.t.Helper()
	text, err := record.NewDocument(m.runs).JSON()
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(record.FileName, string(text))
}

func (m *made) write(name, text string) {
	m.t.Helper()
	put(m.t, filepath.Join(m.dir, filepath.FromSlash(name)), text)
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// both adds a performance and an accuracy run.
func (m *made) both(rulesKey, scenario string, change ...func(*record.Run)) *made {
	return m.run(rulesKey, scenario, "performance", change...).run(rulesKey, scenario, "accuracy", change...)
}

// audit adds the run of an audit, with what its judges wrote.
func (m *made) audit(rulesKey, scenario, test string, change ...func(*record.Run)) *made {
	m.t.Helper()
	top := path.Join(rulesKey, scenario, test)
	m.run(rulesKey, scenario, "performance", func(r *record.Run) {
		r.Test, r.Profile, r.Dir = test, "audit", path.Join(top, "performance/run_1")
		r.TestVerdict = record.TestPassed
		for _, c := range change {
			c(r)
		}
	})
	for _, name := range tree.FilesOf(test).Verdicts {
		m.write(path.Join(top, name), "TEST PASS\n")
	}
	m.write(path.Join(top, "performance/run_1", tree.AccuracyLog), "[\n]\n")
	m.write(path.Join(top, "audit.config"), "*.*.mode = 2\n")
	return m
}

// workspace is a submission in which everything is filled in.
func workspace(t *testing.T, o InitOptions) *Workspace {
	t.Helper()
	known := map[string]string{}
	for _, f := range append(system.Fields(), system.NetworkFields()...) {
		known[f.Name] = "1"
	}
	delete(known, "submitter")
	delete(known, "division")
	delete(known, "system_type")
	if o.SystemType == "" {
		o.SystemType = "edge"
	}
	if o.Submitter == "" {
		o.Submitter = "Lab"
	}
	done, err := InitWorkspace(filepath.Join(t.TempDir(), "w"), o, known)
	if err != nil || len(done.OpenFields) > 0 {
		t.Fatalf("%v, open %v", err, done)
	}
	putMeasurements(t, done.Workspace)
	return done.Workspace
}

func putMeasurements(t *testing.T, w *Workspace) {
	t.Helper()
	put(t, filepath.Join(w.Dir, MeasurementsFile), `{"input_data_types": "int64", "retraining": "N"}`)
}

func add(t *testing.T, w *Workspace, o AddOptions, outs ...*made) {
	t.Helper()
	if _, err := w.Add(dirs(outs), o); err != nil {
		t.Fatal(err)
	}
}

func dirs(outs []*made) []string {
	var list []string
	for _, m := range outs {
		list = append(list, m.dir)
	}
	return list
}

func plan(t *testing.T, w *Workspace, o PlanOptions) *Plan {
	t.Helper()
	p, err := w.NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func paths(p *Plan) []string {
	var list []string
	for _, f := range p.Files {
		list = append(list, f.Path)
	}
	return list
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
