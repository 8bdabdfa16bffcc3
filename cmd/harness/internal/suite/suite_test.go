package suite

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
)

// noConfigs has no configuration of MLMark.
func noConfigs(path string) ([]mlmark.Task, error) { return nil, fmt.Errorf("%s: none here", path) }

// text writes the jobs of a suite, one to a line: folder, model and flags.
func text(s Suite) string {
	var b strings.Builder
	for _, j := range s.Jobs {
		fmt.Fprintf(&b, "%s: %s", j.Folder, j.Model+j.Server)
		if j.Task != nil {
			fmt.Fprintf(&b, " (%v, %d times)", j.Task, j.Task.Iterations)
		}
		for _, f := range j.Flags {
			fmt.Fprintf(&b, " %s=%s", f.Name, f.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"defaults are laid under": {`
defaults: {smoke: true, batch: 4, set: {a: 1, b: 2}}
runs:
- {run: resnet50, batch: 8, set: {b: 3}}
`, "resnet50: resnet50 smoke=true set=a=1 batch=8 set=b=3\n"},
		"values stay as they are written": {`
runs:
- run: m
  set: {target_qps: 1.10, big: 0x10, word: 'on'}
  note: "a: b"
`, "m: m set=target_qps=1.10 set=big=0x10 set=word=on note=a: b\n"},
		"lists give a flag several times": {`
runs:
- {run: m, scenario: [Offline, Server], set: [a=1, b: 2], param.x: 5}
`, "m: m scenario=Offline scenario=Server set=a=1 set=b=2 param=x=5\n"},
		"several models": {`
runs:
- run: [a, b]
- {run: [a, b], name: again}
`, "a: a\nb: b\nagain/a: a\nagain/b: b\n"},
		"a matrix of flags, of keys and of lists": {`
runs:
- run: m
  set: {k: 1, other: 2}
  matrix:
    batch: [1, 2]
    set.k: [5, 6]
    device: [[cpu:0, cpu:1]]
`, "m/batch=1,k=5,device=cpu-0,device=cpu-1: m set=other=2 batch=1 set=k=5 device=cpu:0 device=cpu:1\n" +
			"m/batch=1,k=6,device=cpu-0,device=cpu-1: m set=other=2 batch=1 set=k=6 device=cpu:0 device=cpu:1\n" +
			"m/batch=2,k=5,device=cpu-0,device=cpu-1: m set=other=2 batch=2 set=k=5 device=cpu:0 device=cpu:1\n" +
			"m/batch=2,k=6,device=cpu-0,device=cpu-1: m set=other=2 batch=2 set=k=6 device=cpu:0 device=cpu:1\n"},
		"repeats go round": {`
runs:
- {run: a, repeat: 2}
- {run: b}
`, "a/1: a\nb: b\na/2: a\n"},
		"repeats follow one another": {`
order: runs
runs:
- {run: a, repeat: 2}
- {run: b}
`, "a/1: a\na/2: a\nb: b\n"},
		"tasks of MLMark": {`
runs:
- {run: [a, b], mlmark: throughput, smoke: true, iterations: 9, matrix: {batch: [1, 2]}}
- {run: a, mlmark: accuracy, name: answers}
`, "a-throughput/batch=1: a (a throughput fp32 batch 1, 9 times) smoke=true\n" +
			"a-throughput/batch=2: a (a throughput fp32 batch 2, 9 times) smoke=true\n" +
			"b-throughput/batch=1: b (b throughput fp32 batch 1, 9 times) smoke=true\n" +
			"b-throughput/batch=2: b (b throughput fp32 batch 2, 9 times) smoke=true\n" +
			"answers: a (a accuracy fp32 batch 1, 1 times)\n"},
		"servers": {`
runs:
- {bench: 'http://user@gpu-1:8000/v1', concurrency: '1..8', isl: 64}
- {bench: [a, 'https://b'], name: two, repeat: 2}
`, "gpu-1-8000: http://user@gpu-1:8000/v1 concurrency=1..8 isl=64\n" +
			"two/a/1: a\ntwo/b/1: https://b\ntwo/a/2: a\ntwo/b/2: https://b\n"},
		"anchors": {`
runs:
- {run: a, set: &s {x: 1}}
- {run: b, set: *s}
`, "a: a set=x=1\nb: b set=x=1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ParseSuite([]byte(c.in), "file", noConfigs)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(s); got != c.want {
				t.Errorf("jobs\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestIdentities: runs are called by label, entry, point and repeat; a label that is an axis of the matrix is no point.
func TestIdentities(t *testing.T) {
	s, err := ParseSuite([]byte("runs:\n- {run: resnet50, name: cnn, repeat: 2, matrix: {label: [a], batch: [4]}}\n"+
		"- run: bert\n"), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []record.Identity
	for _, j := range s.Jobs {
		label := ""
		for _, f := range j.Flags {
			if f.Name == "label" {
				label = f.Value
			}
		}
		got = append(got, j.Identity(label))
	}
	want := []record.Identity{
		{Label: "a", Entry: "cnn", Point: []string{"batch=4"}, Repeat: 1, Repeats: 2}, {},
		{Label: "a", Entry: "cnn", Point: []string{"batch=4"}, Repeat: 2, Repeats: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestDefaultsOfBoth: where a file has models and servers, a job says which flags it has from the defaults alone.
func TestDefaultsOfBoth(t *testing.T) {
	const defaults = "defaults: {smoke: true, isl: 4, note: a}\n"
	s, err := ParseSuite([]byte(defaults+"runs: [{bench: u, note: b}, {run: m, matrix: {isl: [8]}}]"), "x", nil)
	if err != nil || !reflect.DeepEqual(s.Jobs[0].Defaults, []string{"smoke", "isl"}) ||
		!reflect.DeepEqual(s.Jobs[1].Defaults, []string{"smoke", "note"}) {
		t.Errorf("%v: %+v", err, s.Jobs)
	}
	if s, _ := ParseSuite([]byte(defaults+"runs: [{bench: u}]"), "x", nil); s.Jobs[0].Defaults != nil {
		t.Errorf("servers alone: %v", s.Jobs[0].Defaults)
	}
}

func TestParseOfTheWhole(t *testing.T) {
	text := "name: n\nout: o\nbudget: 1h30m\nruns:\n- {run: m, budget: 5m, repeat: 2}\n"
	s, err := ParseSuite([]byte(text), "file", noConfigs)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "n" || s.Out != "o" || s.Budget != 90*time.Minute || s.Jobs[1].Budget != 5*time.Minute {
		t.Errorf("%+v", s)
	}
	if got := s.Jobs[1].String(); got != "m (2 of 2)" {
		t.Errorf("the job is named %q", got)
	}
	if s, err = ParseSuite([]byte("runs: [{run: m}]"), "file", noConfigs); err != nil || s.Name != "file" ||
		s.Out != "file" {
		t.Errorf("%v; without a name: %+v", err, s)
	}
}

// TestEveryFaultIsSaid has several faults in one file.
func TestEveryFaultIsSaid(t *testing.T) {
	_, err := ParseSuite([]byte(`nam: x
order: never
budget: soon
runs:
- batch: 4
- {run: m, repeat: 0, set: [[a]]}
- run: n
  matrix: {batch: 4}
- 5
`), "file", noConfigs)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`unknown key "nam"; did you mean "name"?`, `order: line 2, column 8: "never"`,
		"want a duration", "line 5", "run: missing", "repeat: line 6", "a list in a list",
		`matrix: line 8, column 19: batch: "4"`,
		`line 9, column 3: "5"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("defaults:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		refs := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", ")
		fmt.Fprintf(&bomb, "  a%d: &a%d [%s]\n", i, i, refs)
	}
	hundred := "[" + strings.TrimSuffix(strings.Repeat("x, ", 100), ", ") + "]"
	for name, c := range map[string]struct{ in, want string }{
		"nothing":       {"", "0 documents"},
		"two documents": {"a: 1\n---\nb: 2\n", "2 documents"},
		"no YAML":       {"{{{", "no YAML"},
		"a list":        {"- a\n", "want a mapping"},
		"no runs":       {"name: a\n", "runs: missing"},
		"empty runs":    {"runs: []\n", "want a list of what to run"},
		"the model null": {"runs:\n- run: null\n", `null is nothing in YAML: want a value, and of the model called null ` +
			`its name in quotes: "null"`},
		"an empty value": {"runs:\n- run:\n- run: a\n", "line 2, column"},
		"null":           {"runs:\n- run: ~\n", "is nothing in YAML"},
		"twice":          {"runs: [{run: a}]\nruns: [{run: b}]\n", "already defined"},
		"an anchor in a": {"runs:\n- &a\n  run: m\n  set: {x: *a}\n", "*a is part of what it stands for"},
		"unknown alias":  {"runs: *nothing\n", "no value before it is marked"},
		"aliases unfold": {bomb.String() + "runs: [{run: m}]\n", "unfold to more than"},
		"a million points": {
			"runs:\n- run: m\n  matrix: {a: " + hundred + ", b: " + hundred + ", c: " + hundred + "}\n", "more than 10000",
		},
		"a server and a model": {"runs: [{run: m, bench: url}]\n", "leave run and mlmark to another entry"},
		"a server and a task":  {"runs: [{bench: url, mlmark: throughput}]\n", "leave run and mlmark to another entry"},
		"no server":            {"runs: [{bench: {url: a}}]\n", "want one, or a list of them"},
		"a server there twice": {"runs: [{bench: [u, u]}]\n", "there twice"},
		"servers of one host":  {"runs: [{bench: u/a}, {bench: u/b}]\n", "the same folder"},
		"the same folder":      {"runs: [{run: m}, {run: m}]\n", "the same folder"},
		"folders of one":       {"runs: [{run: m, name: a/b}, {run: m, name: 'a/B'}]\n", "the same folder"},
		"out of the folder":    {"runs: [{run: m, name: ../../x}, {run: m, name: '../../x'}]\n", "the same folder -/-/x"},
		"brackets":             {strings.Repeat("[", 100_000), "line 1: more than 100 brackets are open"},
		"dashes":               {"a: b\n" + strings.Repeat("- ", 60_000), "line 2: more than 100 lists begin on one line"},
		"tags":                 {"runs: !!binary aGk=\n", "tags"},
		"the same value":       {"runs: [{run: m, matrix: {batch: [1, 1]}}]\n", "the same folder"},
		"a model there twice":  {"runs: [{run: [m, m]}]\n", "there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseSuite([]byte(c.in), "file", noConfigs)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestTemplate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nightly.yaml")
	if err := WriteTemplate(path); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSuite(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "nightly" || len(s.Jobs) != 9 {
		t.Errorf("%s has %d jobs, want 3 repeats of 2 batches, 2 precisions and one more", s.Name, len(s.Jobs))
	}
	if err := WriteTemplate(path); err == nil {
		t.Error("a file that is there is replaced")
	}
	if err := WriteTemplate(filepath.Join(t.TempDir(), "nightly")); err == nil {
		t.Error("a name that no run would take for a suite is written")
	}
	if _, err := ReadSuite(filepath.Join(t.TempDir(), "a.yaml")); err == nil || !strings.Contains(err.Error(),
		"new suite") {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(template))
	f.Add("runs:\n- {run: [a, b], matrix: {batch: [1, 2], set.k: [5]}, repeat: 2}\n")
	f.Add("runs:\n- &a {run: m}\n- *a\n")
	f.Add("defaults: {isl: 4}\nruns:\n- {bench: ['http://a:1/v1', b], matrix: {rate: [1, 2]}}\n- run: m\n")
	f.Add("defaults: {a: [x: 1]}\nruns: [{run: m, a.b: c}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSuite([]byte(text), "file", noConfigs)
		if err != nil {
			return
		}
		again, err := ParseSuite([]byte(text), "file", noConfigs)
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("read twice it differs: %v", err)
		}
		for _, j := range s.Jobs {
			if strings.Contains("/"+j.Folder+"/", "/../") || strings.HasPrefix(j.Folder, "/") {
				t.Errorf("the folder %q leaves that of the suite", j.Folder)
			}
		}
	})
}
