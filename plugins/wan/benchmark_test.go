package wan

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/wan/internal/videos"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

// TestGoldenResults: the lines are the official script's, whatever dimensions there are; a score wants the six.
func TestGoldenResults(t *testing.T) {
	golden.Each(t, "wan/score*.json", func(t *testing.T, path string) {
		text, err := os.ReadFile(path)
		var all struct {
			ParseResults []struct {
				Name  string
				Files map[string]json.RawMessage
				Lines []string
			} `json:"parse_results"`
		}
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil || len(all.ParseResults) == 0 {
			t.Fatalf("%v: %d cases", err, len(all.ParseResults))
		}
		for _, c := range all.ParseResults {
			dir := t.TempDir()
			for name, content := range c.Files {
				var asText string
				if json.Unmarshal(content, &asText) == nil {
					content = json.RawMessage(asText)
				}
				if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			path, err := findResultsFile(dir)
			var r *vbenchResults
			if err == nil {
				r, err = readResults(path)
			}
			switch {
			case strings.Contains(strings.Join(c.Lines, "\n"), "nan"):
				if err == nil {
					t.Errorf("%s: NaN is taken", c.Name)
				}
			case len(c.Lines) == 0 || !strings.HasPrefix(c.Lines[len(c.Lines)-1], "Detailed results"): // the script stops
				if err == nil {
					t.Errorf("%s is read", c.Name)
				}
			case err != nil:
				t.Errorf("%s: %v", c.Name, err)
			case !slices.Equal(r.officialLines(), c.Lines):
				t.Errorf("%s:\n%s\nwant\n%s", c.Name, strings.Join(r.officialLines(), "\n"), strings.Join(c.Lines, "\n"))
			}
		}
	})
}

// six are results of the six dimensions.
func six(values ...float64) vbenchResults {
	r := vbenchResults{file: "results_a_eval_results.json", means: map[string]float64{}}
	for i, name := range scoreDimensions {
		r.means[name] = values[i%len(values)]
	}
	return r
}

func TestScales(t *testing.T) {
	for _, c := range []struct {
		name  string
		r     vbenchResults
		scale resultScale
		score float64 // NaN: refused
	}{
		{"a share", six(0.5, 0.7), anyScale, 60}, {"a share, said", six(0.5, 0.7), shareScale, 60},
		{"percent", six(50, 70), anyScale, math.NaN()}, {"percent, said", six(50, 70), percentScale, 60},
		{"percent, called a share", six(50, 70), shareScale, math.NaN()}, {"too large", six(500), percentScale, math.NaN()},
		{"below 0", six(-0.1), anyScale, math.NaN()}, {"NaN", six(math.NaN()), shareScale, math.NaN()},
	} {
		err := c.r.checkDimensions(c.scale)
		if (err != nil) != math.IsNaN(c.score) || err == nil && math.Abs(c.r.score-c.score) > 1e-9 {
			t.Errorf("%s: %v, %v", c.name, c.r.score, err)
		}
	}
	r := six(0.9)
	delete(r.means, "scene")
	delete(r.means, "dynamic_degree")
	r.means["colour"] = 1
	err := r.checkDimensions(anyScale)
	for _, want := range []string{"scene is missing", "dynamic_degree is missing", "colour is no dimension"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %q is not told", err, want)
		}
	}
	tiny := six(1e-8)
	if err := tiny.checkDimensions(anyScale); err != nil || strings.Contains(tiny.checkerLine(), "e-") {
		t.Errorf("%s, %v: the checker reads no exponents", tiny.checkerLine(), err)
	}
}

func TestFileNames(t *testing.T) {
	long := strings.Repeat("é", 300)
	prompts := []videos.VideoRequest{}
	for _, p := range []string{"a/b\\c\td", "a_b_c_d", "x", "x", long} {
		prompts = append(prompts, videos.VideoRequest{Prompt: p})
	}
	want := []string{"a_b_c_d-0", "a_b_c_d-1", "x-0", "x-1", strings.Repeat("é", 200) + "-0"}
	if got := fileNames(prompts); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := checkFileNames(prompts[:4]); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"..", long} {
		if checkFileNames([]videos.VideoRequest{{Prompt: bad}}) == nil {
			t.Errorf("%.10q makes a name", bad)
		}
	}
}

func TestPrompts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(officialFile, "  one \n\n two\nthree")
	for path, want := range map[string]string{
		dir: "one|two|three", write("rows.jsonl", `{"prompt": "a", "fps": 8}`+"\n"+`{"prompt": "b"}`): "a|b",
	} {
		all, err := readPrompts(path, officialRequest())
		prompts := make([]string, len(all))
		for i, r := range all {
			prompts[i] = r.Prompt
		}
		got := strings.Join(prompts, "|")
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, bad := range []string{
		write("empty.txt", "\n"), write("binary.txt", "\xff\xfe"), write("bad.jsonl", `{"fps": 1}`),
		filepath.Join(dir, "none.txt"),
	} {
		if _, err := readPrompts(bad, officialRequest()); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// TestExport: the plugin's own prompts come back from the official file.
func TestExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), officialFile)
	if err := writePrompts(t.Context(), path, embeddedSet, 2, 3); err != nil {
		t.Fatal(err)
	}
	all, err := readPrompts(path, officialRequest())
	got := make([]string, len(all))
	for i, r := range all {
		got[i] = r.Prompt
	}
	if err != nil || !slices.Equal(got, embeddedPrompts()[2:5]) {
		t.Errorf("%q, %v", got, err)
	}
	if writePrompts(t.Context(), path, embeddedSet, 99, 1) == nil || writePrompts(t.Context(), path, "train", 0,
		1) == nil {
		t.Error("prompts that are not there are written")
	}
}

// opened is a workload on the plugin's own prompts, with a generator.
func opened(t *testing.T, o sdk.Options, b backend.GeneratorOpener, options map[string]string) (*videoWorkload,
	backend.Generator) {
	t.Helper()
	o.Model = "wan-2.2-t2v-a14b"
	w, err := New().Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	inner, ok := sdk.As[*videoWorkload](w)
	if !ok {
		t.Fatalf("a workload of %T", w)
	}
	g, err := b.OpenGenerator(t.Context(), inner.file, backend.Config{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return inner, g
}

type sink struct{ answer backend.Tokens }

func (s *sink) FirstToken(backend.Tokens) {}
func (s *sink) Complete(t backend.Tokens) { s.answer = t }

// payload is what the log has of prompt i.
func payload(t *testing.T, w *videoWorkload, g backend.Generator, i int) ([]byte, error) {
	t.Helper()
	sample, err := w.Load(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Prompt(sample)
	if err != nil {
		t.Fatal(err)
	}
	var s sink
	if err := g.Generate(t.Context(), p, &s); err != nil {
		return nil, err
	}
	b, _, err := w.AppendTokens(nil, sample, s.answer)
	return b, err
}

// TestStandIn: the videos of the embedded prompts are scored, shown and handed in, from a folder and without one.
func TestStandIn(t *testing.T) {
	for _, folder := range []string{"", filepath.Join(t.TempDir(), "videos")} {
		params := map[string]string{"videos": folder}
		w, g := opened(t, sdk.Options{Use: sdk.UseAccuracy, Params: params}, videos.StandIn{}, nil)
		scorer, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
			Model: "wan-2.2-t2v-a14b", Params: params, Embedded: true, Show: []uint64{3, 100}, Exhibits: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.Len() {
			data, err := payload(t, w, g, i)
			if err != nil || len(data) != 64 {
				t.Fatalf("%q, %v", data, err)
			}
			if err := scorer.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: data}); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := scorer.Result()
		if err != nil || len(s.Metrics) != 1 || s.Metrics[0].Value != 100 || len(s.Exhibits) != 2 {
			t.Fatalf("%+v, %v", s, err)
		}
		if len(s.Exhibits[0].PNG) == 0 || s.Exhibits[0].Text != "" {
			t.Errorf("an exhibit without frames: %s", s.Exhibits[0].Text)
		}
		if len(s.Files) != 2 || s.Files[0].Name != "videos/3.gif" ||
			!strings.HasPrefix(string(s.Files[1].Data), "3  two goats") {
			names := make([]string, len(s.Files))
			for i, f := range s.Files {
				names[i] = f.Name
			}
			t.Errorf("files to show: %+v", names)
		}
	}
}

// TestScoreOfVBench: with VBench's results there is the checker's line, and the metric comes first.
func TestScoreOfVBench(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results_x_eval_results.json")
	if err := os.WriteFile(path, []byte(`{"subject_consistency": [0.95, []], "dynamic_degree": [0.62, []],
		"motion_smoothness": [0.98, []], "appearance_style": [0.21, []], "scene": [0.4, []],
		"background_consistency": [0.96, []]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	scorer, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Model: "wan-2.2-t2v-a14b", Params: map[string]string{"vbench": path}, Embedded: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range []string{"/v/0.mp4", "", "/v/2.mp4"} {
		if err := scorer.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: []byte(data)}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := scorer.Result()
	if err != nil || s.Metrics[0].Name != vbenchMetric || math.Abs(s.Metrics[0].Value-68.6667) > 1e-3 {
		t.Fatalf("%+v, %v", s.Metrics, err)
	}
	if !strings.HasSuffix(s.OfficialText, "\n{'vbench_score': 68.66666666666666}") &&
		!strings.HasSuffix(s.OfficialText, "\n{'vbench_score': 68.66666666666667}") {
		t.Errorf("accuracy.txt ends with %q", s.OfficialText)
	}
	if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, "prompt 1 has no video") ||
		!strings.Contains(notes, "from 0 to 1, made percent") {
		t.Error(notes)
	}
}

func TestResultsWithValuesOfOtherTypes(t *testing.T) {
	for value, want := range map[string]string{
		`[0.5, []]`: "0.5000", `[1]`: "1.0000", `[true, []]`: "1.0000", `[false]`: "0.0000", `[5e-1]`: "0.5000",
		`0.5`: "", `"0.5"`: "", `["0.5", []]`: "", `[]`: "", `{}`: "", `{"0": 0.5}`: "", `null`: "", `[null, []]`: "",
		`[[0.5], []]`: "", `[{"mean": 0.5}]`: "", `true`: "",
		`[NaN, []]`: "NaN", `[-Infinity]`: "-Inf", `[1e999]`: "+Inf",
	} {
		r, err := parseResults([]byte(`{"scene": ` + value + `, "colour": [1, []]}`))
		r.file = "f"
		lines := []string{"VBench Evaluation Results", "Dimension Scores:", "  colour                        : 1.0000"}
		average := "1.0000"
		switch {
		case strings.HasSuffix(want, "N") || strings.HasSuffix(want, "Inf"):
			if err == nil || !strings.Contains(err.Error(), "scene: found "+want) {
				t.Errorf("%s: %v", value, err)
			}
			continue
		case want != "":
			lines = append(lines, "  scene                         : "+want)
			average = map[string]string{"1.0000": "1.0000", "0.5000": "0.7500", "0.0000": "0.5000"}[want]
		}
		lines = append(lines, "  Overall Average               : "+average, "Detailed results: f")
		if err != nil || !slices.Equal(r.officialLines(), lines) {
			t.Errorf("%s: %v\n%s\nwant\n%s", value, err, strings.Join(r.officialLines(), "\n"), strings.Join(lines, "\n"))
		}
		if err := r.checkDimensions(anyScale); err == nil || want == "" && !strings.Contains(err.Error(), "scene is ") {
			t.Errorf("%s: the score is %v, %v", value, r.score, err)
		}
	}
	for text, ok := range map[string]bool{
		"null": true, "0": true, `""`: true, "[]": true, "false": true, "[0.5]": false, `"scene"`: false, "1": false,
		"": false,
	} {
		if r, err := parseResults([]byte(text)); (err == nil) != ok || len(r.means) > 0 {
			t.Errorf("%q: %v, %v", text, r.means, err)
		}
	}
}

func FuzzParseResults(f *testing.F) {
	f.Add([]byte(`{"scene": [0.5, []]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseResults(text)
		if err == nil {
			_ = r.officialLines()
			_ = r.checkDimensions(anyScale)
		}
	})
}
