package manifest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

const text = `{
  "name": "b", "version": "1", "summary": "s",
  "params": [{"name": "size", "help": "h"}],
  "embedded": {
    "defaults": {"size": "32"},
    "files": [{"name": "embedded-fp32", "precision": "fp32"}, {"name": "embedded-int8", "precision": "int8"}],
    "dataset": {"name": "synthetic"},
    "smoke": [
      {"scenario": "SingleStream", "settings": {"min_query_count": "10", "target_latency": "1"}},
      {"scenario": "Offline", "settings": {"min_query_count": "100"}}
    ]
  },
  "datasets": [{"name": "first"}, {"name": "second"}],
  "models": [
    {"name": "one", "rulesKey": "one", "scenarios": ["SingleStream", "Offline"], "defaults": {"size": "300"},
     "files": [{"name": "one.onnx", "url": "https://example.org/one.onnx"}]},
    {"name": "two", "scenarios": ["Offline"], "datasets": ["second"], "defaults": {"size": "800"},
     "embeddedDefaults": {"size": "64"},
     "smoke": [{"scenario": "Offline", "settings": {"min_query_count": "200"}}]}
  ]
}`

const card = `{"training_minutes": 2.5, "files": [
  {"name": "b_fp32.onnx", "precision": "fp32", "size": 4, "sha256": "aa",
   "metrics": [{"name": "accuracy", "value": 97}]},
  {"name": "b_int8.onnx", "precision": "int8", "size": 1, "models": {"one": [{"name": "mAP", "value": 40}]}}
]}`

// folder returns the folder of the embedded model.
func folder() fs.FS {
	return fstest.MapFS{
		"model/card.json":   {Data: []byte(card)},
		"model/b_fp32.onnx": {Data: []byte("fp32")},
		"model/b_int8.onnx": {Data: []byte("int8")},
	}
}

func sizes() Implementation { return Implementation{Samples: 50, PerformanceSamples: 20} }

func parsed(t *testing.T) *Manifest {
	t.Helper()
	m, err := readManifest(text, folder(), sizes())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAModelMayHaveEmbeddedFilesOfItsOwn checks a model with its own card, data set, smoke settings and export.
func TestAModelMayHaveEmbeddedFilesOfItsOwn(t *testing.T) {
	own := `"embedded": {"folder": "model/two", "defaults": {"size": "16"},
	  "files": [{"name": "two-fp32", "precision": "fp32"}],
	  "dataset": {"name": "others", "samples": 8, "performanceSampleCount": 5},
	  "smoke": [{"scenario": "Offline", "settings": {"min_query_count": "4"}}]}, "embeddedDefaults"`
	files := fstest.MapFS{
		"model/card.json": {Data: []byte(card)}, "model/b_fp32.onnx": {Data: []byte("fp32")},
		"model/b_int8.onnx": {Data: []byte("int8")},
		"model/two/card.json": {Data: []byte(
			`{"files": [{"name": "t.onnx", "precision": "fp32", "size": 3, "sha256": "bb"}]}`)},
		"model/two/other.onnx": {Data: []byte("two")},
	}
	changed := strings.Replace(strings.Replace(text, `"embeddedDefaults"`, own, 1), `"smoke": [{"scenario": "Offline", `+
		`"settings": {"min_query_count": "200"}}]`, `"summary": ""`, 1)
	if _, err := readManifest(changed, files, sizes()); err == nil || !strings.Contains(err.Error(), "model/two/t.onnx") {
		t.Fatalf("error %v of a file that is not in the folder", err)
	}
	files["model/two/t.onnx"] = files["model/two/other.onnx"]
	write := func(context.Context, string, string, int, int) error { return nil }
	author := sizes()
	author.Exports = map[string]DatasetExport{"two": {Sets: []string{"eval"}, Write: write}}
	m, err := readManifest(changed, files, author)
	if err != nil {
		t.Fatal(err)
	}
	d := m.Describe()
	one, two := d.Models[0], d.Models[1]
	if len(two.Files) != 1 || two.Files[0].Name != "two-fp32" || two.Files[0].SHA256 != "bb" ||
		one.Files[0].SHA256 != "aa" {
		t.Errorf("files %+v", two.Files)
	}
	if s := two.Datasets[0]; s.Name != "others" || s.Samples != 8 || s.PerformanceSampleCount != 5 || !s.Embedded {
		t.Errorf("data set %+v", s)
	}
	if len(two.Smoke) != 1 || two.Smoke[0].Value != "4" || len(one.Smoke) != 3 {
		t.Errorf("smoke settings %+v and %+v", two.Smoke, one.Smoke)
	}
	if len(one.DatasetActions) != 1 || len(two.DatasetActions) != 2 {
		t.Errorf("%d actions and %d, want that the second model's set alone is exported", len(one.DatasetActions),
			len(two.DatasetActions))
	}
	r, err := m.runRequest(sdk.Options{Model: "two"})
	if err != nil || string(r.File().Bytes) != "two" || r.Params.Text("size") != "64" {
		t.Errorf("%v, model %q, size %q", err, r.File().Bytes, r.Params.Text("size"))
	}
}

func TestReadCompletes(t *testing.T) {
	d := parsed(t).Describe()
	one, two := d.Models[0], d.Models[1]
	if d.Name != "b" || !slices.Equal(one.Scenarios, []loadgen.Scenario{loadgen.SingleStream, loadgen.Offline}) {
		t.Errorf("name %q, scenarios %v", d.Name, one.Scenarios)
	}
	if f := one.Files[0]; !f.Embedded || f.Size != 4 || f.SHA256 != "aa" || f.Reference[0].Value != 97 ||
		len(one.Files) != 3 {
		t.Errorf("files %+v, want the card's figures on the first of three", one.Files)
	}
	if f, other := one.Files[1], two.Files[1]; len(f.Reference) != 1 || f.Reference[0].Value != 40 ||
		len(other.Reference) != 0 {
		t.Errorf("references %v and %v, want the card's figure of the first model", f.Reference, other.Reference)
	}
	if s := one.Datasets; len(s) != 3 || !s[0].Embedded || s[0].Samples != 50 || s[0].PerformanceSampleCount != 20 {
		t.Errorf("data sets %+v, want the embedded one of 50 with 20 in memory, and both others", s)
	}
	if s := two.Datasets; len(s) != 2 || s[1].Name != "second" {
		t.Errorf("data sets %+v, want the embedded one and the one that the model names", s)
	}
	if p := two.Params; len(p) != 1 || p[0].Default != "800" {
		t.Errorf("parameters %+v, want the model's default", p)
	}
}

func TestSmokeOfAModelReplacesAScenario(t *testing.T) {
	d := parsed(t).Describe()
	offline := func(m sdk.ModelInfo) (values []string) {
		for _, s := range m.Smoke {
			if s.Scenario == loadgen.Offline {
				values = append(values, s.Value)
			}
		}
		return values
	}
	if one, two := offline(d.Models[0]), offline(d.Models[1]); !slices.Equal(one, []string{"100"}) ||
		!slices.Equal(two, []string{"200"}) {
		t.Errorf("Offline settings %v and %v, want 100 and 200", one, two)
	}
	if n := len(d.Models[1].Smoke); n != 3 {
		t.Errorf("%d settings, want the model's own and those of SingleStream", n)
	}
}

func TestReadReportsEveryFault(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
	}{
		{"not JSON", `{`, []string{"unexpected EOF"}},
		{"more text", `{"models": [{"name": "m"}]} {}`, []string{"more text"}},
		{"unknown field", `{"modles": []}`, []string{`"modles"`}},
		{"unknown role", `{"params": [{"name": "p", "roles": "elemant"}]}`, []string{`"p": unknown role "elemant"`}},
		{"nothing in it", `{}`, []string{"no models"}},
		{"work that nobody does", `{"models": [{"name": "m", "datasetActions": [{"action": "convert"}]}]}`,
			[]string{"without an Implementation.Dataset"}},
		{
			"several",
			`{"params": [{"name": "a"}],
			  "embedded": {"defaults": {}, "smoke": [{"scenario": "Batch"}], "files": [{"name": "e", "precision": "fp64"}]},
			  "models": [{"name": "m", "scenarios": ["Multi"], "datasets": ["none"],
			    "defaults": {"b": ""}, "embeddedDefaults": {"c": ""}}]}`,
			[]string{
				`"Batch"`, `"Multi"`, `embedded: parameter "a" has no default`, `"m": defaults: parameter "a" has no default`,
				`unknown parameter "b"`, `unknown parameter "c"`, `unknown data set "none"`, "no fp64 file",
			},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := readManifest(c.text, folder(), sizes())
			wantAll(t, err, c.want...)
		})
	}
}

func TestModel(t *testing.T) {
	m := parsed(t)
	for name, want := range map[string]string{"": "one", "one": "one", "TWO": "two"} {
		if e, err := m.Model(name); err != nil || e.Name != want {
			t.Errorf("%q: %v, %v, want %s", name, e, err, want)
		}
	}
	_, err := m.Model("three")
	wantAll(t, err, `"three"`, "one, two")
}

func TestCheckParams(t *testing.T) {
	m := parsed(t)
	if err := m.checkParams(map[string]string{"size": "1"}); err != nil {
		t.Error(err)
	}
	err := m.checkParams(map[string]string{"sise": "1", "layout": "2"})
	wantAll(t, err, `"sise"`, `"layout"`, "one of size")
	if !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("%v is not of class %v", err, sdk.ErrUsage)
	}
}

func TestOpenFile(t *testing.T) {
	m := parsed(t)
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, model string
		o           sdk.Options
		bytes, path string
		size        string
	}{
		{"nothing said", "one", sdk.Options{}, "fp32", "", "32"},
		{"precision", "one", sdk.Options{Precision: "int8"}, "int8", "", "32"},
		{"name", "one", sdk.Options{ModelFile: "embedded-int8"}, "int8", "", "32"},
		{"the model's embedded defaults", "two", sdk.Options{}, "fp32", "", "64"},
		{"path", "two", sdk.Options{ModelFile: path}, "", path, "800"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e, err := m.Model(c.model)
			if err != nil {
				t.Fatal(err)
			}
			f, err := m.openFile(e, "", c.o)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(f.model.Bytes, []byte(c.bytes)) || f.model.Path != c.path || f.embedded != (c.path == "") ||
				f.defaults["size"] != c.size {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestOpenFileRefuses(t *testing.T) {
	m := parsed(t)
	empty := filepath.Join(t.TempDir(), "empty.onnx")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		o     sdk.Options
		class error
		want  []string
	}{
		{sdk.Options{Precision: "int4"}, sdk.ErrUsage, []string{`"int4"`, "fp32, int8"}},
		{sdk.Options{ModelFile: "one.onnx"}, sdk.ErrData, []string{"harness fetch one", "https://example.org/one.onnx"}},
		{sdk.Options{ModelFile: "none.onnx"}, sdk.ErrData, []string{"none.onnx"}},
		{sdk.Options{ModelFile: empty}, sdk.ErrData, []string{"is empty"}},
		{sdk.Options{ModelFile: os.DevNull}, sdk.ErrData, []string{"want a file or a folder"}},
	}
	for _, c := range cases {
		f, err := m.openFile(&m.Models[0], "", c.o)
		wantAll(t, err, c.want...)
		if !errors.Is(err, c.class) || f.defaults["size"] != "300" {
			t.Errorf("%+v: error %v, defaults %v", c.o, err, f.defaults)
		}
	}
}

func TestValuesAreACopy(t *testing.T) {
	defaults := map[string]string{"a": "1", "b": "2"}
	v := mergeValues(defaults, map[string]string{"b": "3"})
	v["a"] = "4"
	if defaults["a"] != "1" || v["b"] != "3" {
		t.Errorf("defaults %v, values %v", defaults, v)
	}
}

func TestCard(t *testing.T) {
	c, err := readCard(folder(), modelFolder)
	if err != nil {
		t.Fatal(err)
	}
	f, ok := c.File("fp32")
	if v, has := f.Metric("accuracy"); !ok || !has || v != 97 || c.TrainingMinutes != 2.5 {
		t.Errorf("got %+v", c)
	}
	if _, ok := c.File("fp16"); ok {
		t.Error("found a file that the card lacks")
	}
	if _, ok := f.Metric("mAP"); ok {
		t.Error("found a metric that the card lacks")
	}
}

// TestTheFolderOfTheModelIsWhole removes one file after another.
func TestTheFolderOfTheModelIsWhole(t *testing.T) {
	for _, name := range []string{"model/card.json", "model/b_int8.onnx"} {
		files := folder().(fstest.MapFS)
		delete(files, name)
		_, err := readManifest(text, files, sizes())
		wantAll(t, err, path.Base(name))
	}
	files := folder().(fstest.MapFS)
	files["model/card.json"] = &fstest.MapFile{Data: []byte("{")}
	_, err := readManifest(text, files, sizes())
	wantAll(t, err, "model/card.json", "unexpected end")
}

// wantAll fails unless err's text contains all parts.
func wantAll(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q, want it to hold %q", err, p)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(text)
	f.Add(`{"models": [{"name": "m", "scenarios": ["Server"]}]}`)
	f.Add(`{"models": [null]}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readManifest(text, folder(), sizes())
		if err == nil && len(m.Models) == 0 {
			t.Fatal("passed without a model")
		}
	})
}

// TestDataSetsOfUses checks a model with its own data sets for accuracy runs and for tests. Some are embedded, and one
// replaces the common one.
func TestDataSetsOfUses(t *testing.T) {
	const listed = `{"name": "b", "embedded": {"dataset": {"name": "own"}},
		"datasets": [{"name": "perf", "samples": 6}, {"name": "acc", "samples": 4, "use": "accuracy"},
			{"name": "part", "samples": 2, "use": "TEST07"}, {"name": "own-acc", "embedded": true, "use": "accuracy"},
			{"name": "other", "embedded": true, "samples": 3}],
		"models": [{"name": "one", "datasets": ["perf", "acc", "part", "own-acc"]},
			{"name": "two", "datasets": ["other", "perf"]}]}`
	m, err := readManifest(listed, folder(), Implementation{Samples: 5})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		use      string
		embedded bool
		want     string
	}{
		{"", true, "own other"}, {sdk.UseAccuracy, true, "own-acc other"}, {"TEST07", true, "own other"},
		{"", false, "perf perf"}, {sdk.UseAccuracy, false, "acc perf"}, {"TEST07", false, "part perf"},
		{"TEST04", false, "perf perf"},
	} {
		var got []string
		for _, e := range m.Models {
			got = append(got, e.DatasetsFor(c.use, c.embedded)[0].Name)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%d: %q, embedded %v: %s, want %s", i, c.use, c.embedded, text, c.want)
		}
	}
	if d, ok := m.Models[0].DatasetOf("TEST07"); !ok || d.Name != "part" {
		t.Errorf("%+v, %v", d, ok)
	}
	if d, ok := m.Models[1].DatasetOf(sdk.UseAccuracy); ok {
		t.Errorf("a model with one data set has %s for accuracy alone", d.Name)
	}
	r, err := m.scoreRequest(sdk.ScoreOptions{})
	if err != nil || r.Use != sdk.UseAccuracy {
		t.Errorf("%v, a log is scored for %q", err, r.Use)
	}
}
