package submission

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestSubmissionOfMadeRunsGolden submits the logs of the reference trees, which are as long as the rules require, as if
// harness run had written them: two systems and three divisions in one workspace. The tree is accepted, and its
// official summary equals the reference's. With PLUMBLINE_MLC and PYTHON the official checker confirms it.
func TestSubmissionOfMadeRunsGolden(t *testing.T) {
	for _, base := range []string{"edge", "datacenter"} {
		t.Run(base, func(t *testing.T) {
			m := madeRuns{t: t, root: t.TempDir(), dir: t.TempDir()}
			untar(t, filepath.Join(golden.Root(t), "submission", "base", base+".tar.gz"), m.root)
			m.addAll()
			m.give("submission", "build", "--out", "tree")
			m.give("submission", "check", "tree")
			m.give("submission", "check", "tree", "--compatible", "--csv", "summary.csv")
			if got, want := testfile.Read(t, filepath.Join(m.dir, "summary.csv")), summaryOf(t, base); got != want {
				t.Errorf("the summary is\n%s\nwant\n%s", got, want)
			}
			officialVerdict(t, filepath.Join(m.dir, "tree"), summaryOf(t, base))
			m.give("submission", "pack", "tree", "--out", "lab.tar.gz")
			m.give("submission", "pack", "--unpack", "lab.tar.gz", "--out", "again")
		})
	}
}

// madeRuns are output folders made of the logs of a tree.
type madeRuns struct {
	t    *testing.T
	root string // root folder of the tree
	dir  string // working folder of the commands
}

// give runs a command that must succeed.
func (m madeRuns) give(args ...string) {
	m.t.Helper()
	cmd := harness.Command(m.t, built.Harness(), args...)
	cmd.Dir = m.dir
	harness.Finish(m.t, cmd).WantCode(m.t, 0)
}

// addAll describes the systems of the tree, and adds the runs of each of their benchmarks.
func (m madeRuns) addAll() {
	m.t.Helper()
	for _, sheet := range m.glob("*/Toylab/systems/*.json") {
		var fields map[string]string
		testfile.ReadJSON(m.t, sheet, &fields)
		name := strings.TrimSuffix(filepath.Base(sheet), ".json")
		m.give("submission", "init", "--submitter", "Toylab", "--system", name, "--system-type", fields["system_type"],
			"--division", fields["division"])
		testfile.Write(m.t, filepath.Join(m.dir, "submission", "systems", name+".json"), testfile.Read(m.t, sheet))
		for _, folder := range m.glob(fields["division"] + "/Toylab/results/" + name + "/*") {
			benchmark := filepath.Base(folder)
			out := filepath.Join(m.dir, "runs", name, benchmark)
			m.output(folder, out, fields["division"])
			m.give("submission", "add", out, "--system", name, "--benchmark", benchmark)
		}
	}
}

func (m madeRuns) glob(pattern string) []string {
	found, err := filepath.Glob(filepath.Join(m.root, filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		m.t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found
}

// output makes the output folder of a benchmark's runs.
func (m madeRuns) output(folder, out, division string) {
	m.t.Helper()
	benchmark := filepath.Base(folder)
	said := filepath.Join(m.dir, "submission", "measurements")
	if err := os.MkdirAll(said, 0o755); err != nil {
		m.t.Fatal(err)
	}
	var runs []any
	scenarios, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, from := range scenarios {
		model, scenario, key := benchmark, filepath.Base(from), "key"
		if scenario == "Interactive" { // a run of Server with other limits
			model, scenario, key = model+"-interactive", "Server", "key-interactive"
		}
		rules := map[string]string{"resnet50": "resnet", "tinynet": "resnet"}[benchmark]
		if rules == "" {
			rules = benchmark
		}
		top := filepath.Join(out, model, scenario)
		if err := os.CopyFS(top, os.DirFS(from)); err != nil {
			m.t.Fatal(err)
		}
		m.tokens(top)
		testfile.Write(m.t, filepath.Join(said, benchmark+".json"), testfile.Read(m.t, filepath.Join(from,
			"measurements.json")))
		for _, name := range []string{"performance/run_1", "accuracy", "TEST*/performance/run_1"} {
			found, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(name)))
			if err != nil {
				m.t.Fatal(err)
			}
			for _, dir := range found {
				run := m.record(out, dir, division)
				run["model"], run["rules_key"], run["loadgen_key"], run["scenario"] = model, rules, key, scenario
				runs = append(runs, run)
			}
		}
		m.whole(top)
	}
	testfile.WriteJSON(m.t, filepath.Join(out, "result.json"), map[string]any{
		"schema": "plumbline.result", "schema_version": 1, "runs": runs,
	})
}

// tokens makes the logs of TEST06's own run, which the tree may lack.
func (m madeRuns) tokens(top string) {
	dir := filepath.Join(top, "TEST06")
	if _, err := os.Stat(dir); err != nil {
		return
	}
	dir = filepath.Join(dir, "performance", "run_1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.t.Fatal(err)
	}
	log := testfile.Read(m.t, filepath.Join(top, "performance", "run_1", "mlperf_log_detail.txt"))
	testfile.Write(m.t, filepath.Join(dir, "mlperf_log_detail.txt"), log+"# TEST06\n")
}

// test is the name of an audit in a path.
var test = regexp.MustCompile(`TEST\d\d`)

// record is the part of result.json about a run.
func (m madeRuns) record(out, dir, division string) map[string]any {
	within, err := filepath.Rel(out, dir)
	if err != nil {
		m.t.Fatal(err)
	}
	run := map[string]any{
		"mode": "performance", "status": "complete", "verdict": "VALID", "profile": "official", "rules": "v6.1",
		"division": division, "dir": filepath.ToSlash(within), "performance": map[string]any{"valid": true},
		"options": map[string]any{"dataset": "/data"}, "harness": map[string]any{"version": "made", "commit": "0123"},
		"loadgen": map[string]any{"name": "official", "version": "6.0.17", "source_unmodified": true},
	}
	switch name := test.FindString(within); {
	case name != "":
		run["test"], run["test_verdict"], run["profile"] = name, "PASS", "audit"
	case filepath.Base(dir) == "accuracy":
		delete(run, "performance")
		run["mode"], run["verdict"], run["accuracy"] = "accuracy", "PASS", map[string]any{"outcome": "PASS"}
	}
	return run
}

// cut is the text that truncation leaves in the middle of an accuracy log.
const cut = "\n\n...\n\n"

// whole replaces truncated accuracy logs with logs as a run writes them, and removes their hashes.
func (m madeRuns) whole(top string) {
	m.t.Helper()
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := testfile.Read(m.t, path)
		switch {
		case d.Name() == "accuracy.txt":
			testfile.Write(m.t, path, regexp.MustCompile(`(?m)^hash=.*\n?`).ReplaceAllString(text, ""))
		case d.Name() == "mlperf_log_accuracy.json" && strings.Contains(text, cut):
			var log bytes.Buffer
			for i := range 500 {
				fmt.Fprintf(&log, ",\n{ \"seq_id\" : %d, \"qsl_idx\" : %d, \"data\" : \"00000000\" }", i, i)
			}
			testfile.Write(m.t, path, "["+strings.TrimPrefix(log.String(), ",")+"\n]\n")
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// officialVerdict runs the official checker on a tree, if PLUMBLINE_MLC names a checkout of it, and compares its
// summary. It returns the checker's output.
func officialVerdict(t *testing.T, tree, summary string) {
	t.Helper()
	tools := os.Getenv("PLUMBLINE_MLC")
	if tools == "" {
		return
	}
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	file := filepath.Join(t.TempDir(), "summary.csv")
	cmd := exec.Command(python, "-m", "submission_checker.main", "--input", ".", "--version", "v6.1", "--csv", file)
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(tools, "tools", "submission"), "PYTHONDONTWRITEBYTECODE=1")
	said, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte("SUMMARY: submission looks OK")) {
		t.Errorf("the official checker: %v\n%s", err, said)
	}
	if got := strings.ReplaceAll(testfile.Read(t, file), `"./`, `"`); got != summary {
		t.Errorf("the official summary is\n%s\nwant\n%s", got, summary)
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	t.Logf("the official checker: %s", lines[len(lines)-1])
}
