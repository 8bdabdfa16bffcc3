package bfcl

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func decoded(t *testing.T, text string) any {
	t.Helper()
	v, err := pyvalue.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestGoldenTools(t *testing.T) {
	type testCase struct {
		Name            string
		Function, Tools json.RawMessage
		Exception       string
	}
	golden.Each(t, "agentic/bfcl/tools.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[testCase](t, path) {
			function := decoded(t, string(c.Function))
			tool, err := ServerTool(function)
			if (err != nil) != (c.Exception != "") {
				t.Errorf("%s: %v, want %q", c.Name, err, c.Exception)
			}
			if err == nil && pyvalue.JSON([]any{tool}) != pyvalue.JSON(decoded(t, string(c.Tools))) {
				t.Errorf("%s: %s\nwant %s", c.Name, pyvalue.JSON(tool), c.Tools)
			}
			if !pyvalue.Same(function, decoded(t, string(c.Function))) {
				t.Errorf("%s: the description has changed", c.Name)
			}
		}
	})
}

func TestGoldenMessages(t *testing.T) {
	type testCase struct {
		Question json.RawMessage
		Messages []ChatMessage
	}
	golden.Each(t, "agentic/bfcl/messages.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[testCase](t, path) {
			row := pyvalue.NewDict()
			row.Set("id", "i")
			row.Set("question", decoded(t, string(c.Question)))
			row.Set("function", []any{})
			s, err := parseQuestion(row)
			if err != nil || !slices.Equal(s.Messages, c.Messages) {
				t.Errorf("%s: %v, %v; want %v", c.Question, s.Messages, err, c.Messages)
			}
		}
	})
}

// sizes are those of the subsets of bfcl-eval 2026.3.23.
var sizes = map[string]int{
	"simple_python": 400, "simple_java": 100, "simple_javascript": 50, "multiple": 200, "parallel": 200,
	"parallel_multiple": 200, "live_simple": 258, "live_multiple": 1053, "live_parallel": 16,
	"live_parallel_multiple": 24, "irrelevance": 240, "live_irrelevance": 884, "live_relevance": 16,
}

// numbered are samples of all subsets with nothing but an id.
func numbered() (all []FunctionSample) {
	for _, subset := range Subsets() {
		for range sizes[subset] {
			all = append(all, FunctionSample{Subset: subset})
		}
	}
	return all
}

func TestGoldenParts(t *testing.T) {
	type testCase struct {
		Args struct {
			Subsets, Categories []string
			Percent             *float64           `json:"sample_pct"`
			Shares              map[string]float64 `json:"category_sample_pct"`
			WholeSubsetSize     *int               `json:"subset_floor"`
			MaxSamples          int                `json:"max_samples"`
		}
		N         int
		Groups    [][2]any
		Exception string
	}
	golden.Each(t, "agentic/bfcl/sampling.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[testCase](t, path) {
			all, err := SampleSelection(c.Args).SelectFrom(numbered())
			if (err != nil) != (c.Exception != "") || len(all) != c.N {
				t.Errorf("%+v: %d samples, %v; want %d, %q", c.Args, len(all), err, c.N, c.Exception)
			}
			var groups [][2]any
			for _, s := range all {
				if n := len(groups); n == 0 || groups[n-1][0] != s.Subset {
					groups = append(groups, [2]any{s.Subset, 0.0})
				}
				groups[len(groups)-1][1] = groups[len(groups)-1][1].(float64) + 1
			}
			if len(groups) != len(c.Groups) || len(groups) > 0 && !reflect.DeepEqual(groups, c.Groups) {
				t.Errorf("%+v: %v, want %v", c.Args, groups, c.Groups)
			}
		}
	})
}

// TestGoldenRequests wants the official 995 samples as the harness asks for them, where PLUMBLINE_BFCL names the folder
// of bfcl-eval 2026.3.23 or the table made of it.
func TestGoldenRequests(t *testing.T) {
	path := os.Getenv("PLUMBLINE_BFCL")
	if path == "" {
		t.Skip("PLUMBLINE_BFCL names no folder of bfcl-eval 2026.3.23")
	}
	all, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if all, err = OfficialSelection().SelectFrom(all); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(golden.Root(t), "agentic/bfcl/request_digests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(text))
	if len(all) != len(want)/2 {
		t.Fatalf("%d samples, want %d", len(all), len(want)/2)
	}
	for i, s := range all {
		if got := digest(t, s); s.ID != want[2*i] || got != want[2*i+1] {
			t.Errorf("%s %s, want %s %s", s.ID, got, want[2*i], want[2*i+1])
		}
	}
}

// digest is that of a request with sorted keys, without blanks and in UTF-8.
func digest(t *testing.T, s FunctionSample) string {
	t.Helper()
	messages := []any{}
	for _, m := range s.Messages {
		messages = append(messages, map[string]any{"role": m.Role, "content": m.Content})
	}
	body, err := json.Marshal(map[string]any{
		"model": "Qwen3.6-27B-Q4_K_M", "messages": messages, "temperature": json.Number("0.0"), "seed": 42,
		"stream": true, "max_completion_tokens": 1024, "tools": plain(decoded(t, s.Tools)), "tool_choice": "auto",
	})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(unescaped(body))
	return hex.EncodeToString(sum[:8])
}

// unescaped is JSON without the escapes that encoding/json adds for HTML and for lines of JavaScript.
func unescaped(body []byte) []byte {
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\u2028`, "\u2028",
		`\u2029`, "\u2029").Replace(string(body)))
}

// plain is a value as encoding/json writes it with sorted keys.
func plain(v any) any {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, plain(item))
		}
		return list
	case *pyvalue.Dict:
		m := map[string]any{}
		for _, key := range v.Keys() {
			inner, _ := v.Get(key)
			m[key] = plain(inner)
		}
		return m
	case float64:
		return json.Number(pyvalue.JSON(v))
	}
	return v
}

// write makes a folder of bfcl-eval with one sample in each subset; change has the last word.
func write(t *testing.T, change func(files map[string]string)) string {
	t.Helper()
	files := map[string]string{}
	for _, subset := range Subsets() {
		name := "BFCL_v4_" + subset + ".json"
		files[name] = `{"id":"` + subset + `_0","question":[[{"role":"user","content":"q"}]],"function":[{"name":"a.f",` +
			`"parameters":{"type":"dict","properties":{"n":{"type":"float","description":"d"}}}}]}` + "\n"
		if !strings.Contains(subset, "relevance") {
			files["possible_answer/"+name] = `{"id":"` + subset + `_0","ground_truth":[{"a.f":{"n":[1.0]}}]}` + "\n"
		}
	}
	change(files)
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, "data", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpen(t *testing.T) {
	all, err := Open(write(t, func(map[string]string) {}))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 13 || all[0].ID != "simple_python_0" || all[12].Answers != "[]" ||
		!strings.Contains(all[0].Tools, "a_f") || !strings.Contains(all[0].Functions, "a.f") ||
		all[0].Answers != `[{"a.f": {"n": [1.0]}}]` {
		t.Errorf("%+v", all)
	}
	row := func(s FunctionSample) map[string]any {
		return map[string]any{"messages": `[{"role": "user", "content": "q"}]`, "tools": s.Tools, "tool_choice": "auto",
			"ground_truth": s.Answers, "func_description": s.Functions, "subset": s.Subset, "sample_id": s.ID}
	}
	path := filepath.Join(t.TempDir(), Table+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if err := json.NewEncoder(f).Encode(row(s)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(filepath.Dir(path))
	if err != nil || !reflect.DeepEqual(all, again) {
		t.Errorf("as a table: %v, %+v; want %+v", err, again, all)
	}
}

func TestFaults(t *testing.T) {
	const python = "BFCL_v4_simple_python.json"
	replace := func(old, with string) func(map[string]string) {
		return func(f map[string]string) { f[python] = strings.ReplaceAll(f[python], old, with) }
	}
	const truths = "possible_answer/" + python
	for want, change := range map[string]func(files map[string]string){
		truths + ": it is missing":                   func(f map[string]string) { delete(f, truths) },
		python + ": it is missing; want the data of": func(f map[string]string) { delete(f, python) },
		python + ", line 2: want":                    func(f map[string]string) { f[python] += "{" },
		python + ", line 2: it is a list":            func(f map[string]string) { f[python] += "[]" },
		"has no ground truth in possible_answer":     func(f map[string]string) { f[truths] = "" },
		"it has no id":                               func(f map[string]string) { f[python] = "{}" },
		"ground_truth: it is missing":                func(f map[string]string) { f[truths] = `{"id":"x"}` },
		"a float without a description":              replace("description", "d"),
		"the content of a message is 1, want a text": replace(`"q"`, "1"),
		"parameter n is no object":                   replace(`{"type":"float","description":"d"}`, "1"),
		python + ": no text: it is not UTF-8":        func(f map[string]string) { f[python] = "\xff" },
	} {
		_, err := Open(write(t, change))
		if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, err := Open(t.TempDir())
	if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "that of bfcl-eval") {
		t.Errorf("error %v", err)
	}
}

func FuzzSample(f *testing.F) {
	f.Add(`{"id":"a","question":[[{"role":"user","content":"q"}]],"function":[{"name":"f","parameters":{"properties":` +
		`{"a":{"type":"array","items":{"type":"dict","properties":{"b":{"type":"tuple","items":{"type":"any"}}}}}}}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := pyvalue.Decode(text)
		d, ok := v.(*pyvalue.Dict)
		if err != nil || !ok {
			return
		}
		if s, err := parseQuestion(d); err == nil {
			for _, text := range []string{s.Tools, s.Functions} {
				if _, err := asList(pyvalue.Decode(text)); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
	})
}
