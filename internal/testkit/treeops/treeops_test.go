package treeops

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
)

// TestApply makes one file by each kind of change and compares it with the change's description.
func TestApply(t *testing.T) {
	const record = `:::MLLOG {"key": "a", "value": 1, "time_ms": 0.1, "metadata": {"is_error": false, "pid": 7}}`
	const log = "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 4, \"data\" : \"00\" },\n" +
		"{ \"seq_id\" : 1, \"qsl_idx\" : 5, \"data\" : \"01\" }\n]\n"
	for _, c := range []struct{ ops, before, after string }{
		{`[{"op":"write","path":"f","text":"x"},{"op":"append","path":"f","text":"y"},
			{"op":"prepend","path":"f","text":"z"}]`, "", "zxy"},
		{`[{"op":"replace","path":"*","old":"a","new":"b","count":1}]`, "aa", "ba"},
		{`[{"op":"replace","path":"**","old":"q","new":"b","optional":true}]`, "aa", "aa"},
		{`[{"op":"line-set","path":"f","prefix":"k","text":"K"}]`, "a\nk 1\nk 2\n", "a\nK\nk 2\n"},
		{`[{"op":"line-set","path":"f","prefix":"k","text":"K","all":true}]`, "a\nk 1\nk 2\n", "a\nK\nK\n"},
		{`[{"op":"line-del","path":"f","prefix":"k"}]`, "a\nk 1\nk 2\n", "a\n"},
		{`[{"op":"json-set","path":"f","at":"/b/c","value":"x"}]`, `{"z":1,"b":{}}`,
			"{\n  \"z\": 1,\n  \"b\": {\n    \"c\": \"x\"\n  }\n}"},
		{`[{"op":"json-del","path":"f","at":"/z"}]`, `{"z":1,"b":{}}`, "{\n  \"b\": {}\n}"},
		{`[{"op":"log-set","path":"f","key":"a","value":2.0}]`, record + "\n",
			`:::MLLOG {"key": "a", "value": 2.0, "time_ms": 0.1, "metadata": {"is_error": false, "pid": 7}}` + "\n"},
		{`[{"op":"log-flag","path":"f","key":"a","flag":"is_error","value":true}]`, record + "\n",
			`:::MLLOG {"key": "a", "value": 1, "time_ms": 0.1, "metadata": {"is_error": true, "pid": 7}}` + "\n"},
		{`[{"op":"log-del","path":"f","key":"a"}]`, record + "\nx\n" + record + "\n", "x\n"},
		{`[{"op":"acc-set","path":"f","qsl_idx":5,"set":{"data":"FF"},"del":"seq_id"}]`, log,
			"[\n{ \"seq_id\" : 0, \"qsl_idx\" : 4, \"data\" : \"00\" },\n{ \"qsl_idx\" : 5, \"data\" : \"FF\" }\n]\n"},
		{`[{"op":"acc-set","path":"f","qsl_idx":4,"drop":true}]`, log,
			"[\n{ \"seq_id\" : 1, \"qsl_idx\" : 5, \"data\" : \"01\" }\n]\n"},
		{`[{"op":"acc-reverse","path":"f"},{"op":"acc-keep","path":"f","n":1},
			{"op":"acc-add","path":"f","entry":{"seq_id":9},"at":0}]`, log,
			"[\n{ \"seq_id\" : 9 },\n{ \"seq_id\" : 1, \"qsl_idx\" : 5, \"data\" : \"01\" }\n]\n"},
		{`[{"op":"acc-make","path":"f","n":2}]`, "", "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 0, \"data\" : \"00000000\" },\n" +
			"{ \"seq_id\" : 1, \"qsl_idx\" : 1, \"data\" : \"9E3779B1\" }\n]\n"},
		{`[{"op":"text-fill","path":"f","size":18}]`, "", "0123456789abcde\n01"},
		{`[{"op":"fill","path":"f","size":2}]`, "", "\x00\x00"},
		{`[{"op":"copy","from":"f","to":"d/g"},{"op":"delete","path":"f"},{"op":"write","path":"d/h","text":"h"},
			{"op":"move","from":"d/g","to":"f"}]`, "x", "x"},
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "f"), []byte(c.before))
		var ops []Op
		if err := json.Unmarshal([]byte(c.ops), &ops); err != nil {
			t.Fatal(err)
		}
		Apply(t, dir, ops)
		if got, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(got) != c.after {
			t.Errorf("%s: %q, want %q (%v)", c.ops, got, c.after, err)
		}
	}
}

// TestApplyGolden applies the changes of every case to its base.
func TestApplyGolden(t *testing.T) {
	slow.Skip(t) // the tests of these cases also apply them
	bases := NewBaseTrees(t)
	for _, kind := range []string{"check/*.json", "preprocess/*/case.json", "truncate/*/case.json",
		"repository_checks/*/case.json"} {
		golden.Each(t, "submission/"+kind, func(t *testing.T, path string) {
			var c struct {
				Base string
				Ops  []Op
			}
			golden.ReadJSON(t, path, &c)
			if c.Base != "" {
				bases.Tree(t, c.Base, c.Ops)
				return
			}
			Apply(t, t.TempDir(), c.Ops)
		})
	}
}

// TestLogsGolden applies the changes of every audit's case to its logs.
func TestLogsGolden(t *testing.T) {
	golden.Each(t, "audits/*/*/case.json", func(t *testing.T, path string) {
		var c struct {
			Inputs map[string]string
			Ops    []Op
		}
		golden.ReadJSON(t, path, &c)
		dir := t.TempDir()
		WriteLogs(t, dir, c.Inputs)
		Apply(t, dir, c.Ops)
	})
}

// TestTreesDoNotMeet checks that a changed file of one tree does not change in another.
func TestTreesDoNotMeet(t *testing.T) {
	bases := NewBaseTrees(t)
	const path = "closed/Toylab/systems/toy_edge.json"
	text := "changed"
	changed := bases.Tree(t, "edge", []Op{{Op: "append", Path: path, Text: &text}})
	other, err := os.ReadFile(filepath.Join(bases.Tree(t, "edge", nil), path))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(changed, path))
	if err != nil || string(got) != string(other)+text {
		t.Errorf("%s in the other tree, %s in the changed one (%v)", other, got, err)
	}
}
