package submission_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/markdown"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestEndpointsPage runs the commands of docs/endpoints.md, one after the other, in a folder with the files they name:
// a made submission, the events of a run, and a tokenizer.
func TestEndpointsPage(t *testing.T) {
	t.Parallel()
	golden.Each(t, "endpoints/base/dedicated.tar.gz", func(t *testing.T, archive string) {
		dir := t.TempDir()
		golden.Unpack(t, archive, filepath.Join(dir, "ORG", "SUBMISSION_ID"))
		testfile.Write(t, filepath.Join(dir, "tokenizer.json"), `{"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[]},
"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":false},"decoder":{"type":"ByteLevel"}}`)
		writeEvents(t, filepath.Join(dir, "events.jsonl"), 8, 6396)
		pointFolders(t, dir)
		said := map[string]string{}
		commands, _ := markdown.Commands(t, built.Doc("endpoints.md"), "")
		for _, heading := range []string{"Plan the curve", "Run the points", "Build the submission", "Rehearse the tree",
			"Check a submission", "The results of a submission", "The steady window"} {
			prefix := ""
			if heading == "Rehearse the tree" {
				prefix = "rehearsal "
			}
			if heading == "Run the points" {
				fillPlan(t, dir)
			}
			for _, args := range commands[heading] {
				command, code := prefix+strings.Join(args[:2], " "), 0
				switch command {
				case "submission build":
					fillIn(t, filepath.Join(dir, "submission"))
				case "rehearsal submission build":
					fillIn(t, filepath.Join(dir, "rehearsal"))
				case "rehearsal submission check": // it has no accuracy runs
					code = 3
				}
				cmd := harness.Command(t, built.Harness(), args...)
				cmd.Dir = dir
				said[command] += harness.Finish(t, cmd).WantCode(t, code).Both()
			}
			delete(commands, heading)
		}
		if len(commands) > 0 {
			t.Errorf("commands that were not given: %v", commands)
		}
		for command, want := range map[string][]string{
			"submission plan": {"high_concurrency", "r6396", "At least 2 h 5 min in all",
				"the configurations are not whole"},
			"submission run": {"r1: 1 users, at least 5 super-passes", "r6396: done, ", "trial: 8 of 8 points"},
			"submission init": {filepath.Join("submission", "systems", "SYSTEM", "nodes", "node.json"),
				"to be filled in"},
			"submission add":           {"SYSTEM/gpt-oss-120b/r6396 performance  from ", "model_precision"},
			"submission build":         {filepath.Join("tree", "ORG", "pending"), "finds 0 errors, 1 warning"},
			"submission pack":          {"lab.tar.gz", "read again and compared"},
			"submission check":         {"endpoints-1.0: 0 errors, 1 warning, "},
			"submission results":       {"X200x8, gpt-oss-120b, C_max 512", "925.01", "75.758", "STEADY STATE"},
			"submission steady":        {"status: windowable", "super_pass_start: 1", "super_pass_end: 7", "n_samples: 44772"},
			"rehearsal submission add": {"SYSTEM/gpt-oss-120b/r6396 performance  from ", "not to be submitted: a rehearsal"},
			"rehearsal submission check": {"endpoints-1.0: 3 errors, ", "no accuracy run at a point of ultra_low",
				"r6396, has no accuracy run", "no model has accuracy results"},
			"rehearsal submission results": {"SYSTEM, gpt-oss-120b, C_max 512", "low_latency", "dedicated",
				"SYSTEM: power: node_sets[0]."},
		} {
			harness.WantParts(t, said[command], want...)
		}
		page := testfile.Read(t, filepath.Join(dir, "rehearsal.html"))
		harness.WantParts(t, page, `id="model-1-tokens"`, "Offline (dedicated)", "Sources of the power of")
		configs, _ := filepath.Glob(filepath.Join(dir, "configs", "r*.yaml"))
		if !slices.Contains(configs, filepath.Join(dir, "configs", "r6396.yaml")) || len(configs) != 8 {
			t.Errorf("configurations %q, want one for each of 8 points", configs)
		}
	})
}

// fillPlan names a server and a small performance set in plan.yaml.
func fillPlan(t *testing.T, dir string) {
	t.Helper()
	address := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-owner", "vllm", "-ids",
		"-step", "1ms")
	text, err := os.ReadFile(filepath.Join(dir, "plan.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var set strings.Builder
	for i := range 8 {
		fmt.Fprintf(&set, `{"prompt":"question %d","output_tokens":4}`+"\n", i)
	}
	testfile.Write(t, filepath.Join(dir, "performance.jsonl"), set.String())
	filled := strings.NewReplacer("http://SERVER:PORT", address, "PERFORMANCE_SET", "performance.jsonl")
	testfile.Write(t, filepath.Join(dir, "plan.yaml"), filled.Replace(string(text)))
}

// pointFolders copies the points of the made submission to points/, with the power of its system.
func pointFolders(t *testing.T, dir string) {
	t.Helper()
	system := filepath.Join(dir, "ORG", "SUBMISSION_ID", "results", "X200x8")
	if err := os.CopyFS(filepath.Join(dir, "points"), os.DirFS(filepath.Join(system, "gpt-oss-120b"))); err != nil {
		t.Fatal(err)
	}
	power, err := os.ReadFile(filepath.Join(system, "system_power.json"))
	if err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(dir, "points", "r1", "system_power.json"), string(power))
}

// fillIn writes the fields of a workspace that a person must fill in.
func fillIn(t *testing.T, workspace string) {
	t.Helper()
	for _, name := range []string{filepath.Join("src", "vllm", "README.md"), filepath.Join("docs", "calibration.md")} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(workspace, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		testfile.Write(t, filepath.Join(workspace, name), "none\n")
	}
	err := filepath.WalkDir(workspace, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".json" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for field, value := range map[string]string{"system_availability_status": `"RDI"`, "disaggregated": `"false"`} {
			text = regexp.MustCompile(`("`+field+`": )"FILL IN: [^"]*"`).ReplaceAll(text, []byte("${1}"+value))
		}
		text = regexp.MustCompile(`"FILL IN: [^"]*"`).ReplaceAll(text, []byte(`"8"`))
		return os.WriteFile(file, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// writeEvents writes the log of a run of super-passes of size samples, 300 s each, with 20 ms per token.
func writeEvents(t *testing.T, file string, passes, size int) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	line := func(kind string, at int, id, data string) {
		fmt.Fprintf(w, `{"event_type":"%s","timestamp_ns":%d,"sample_uuid":"%s","data":%s}`+"\n", kind, at, id, data)
	}
	line("session.start_performance_tracking", 0, "", "null")
	for i := range passes * size {
		id, at := fmt.Sprintf("%032x", i), 1+i*(300_000_000_000/size)
		line("sample.issued", at, id, "null")
		line("sample.recv_first", at+200_000_000, id, "null")
		line("sample.complete", at+400_000_000, id, `["text",["a","bbbbbbbbbb"]]`)
	}
	line("session.stop_performance_tracking", 1<<60, "", "null")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}
