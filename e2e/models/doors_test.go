package models

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// door is one model's way from official files to a score: docs/real-data.md contains its commands.
type door struct {
	model   string
	section string // heading in the document above its commands; empty: the model's name
	// files are model files by path in the working directory, which is also the home directory.
	files map[string]*onnxfile.Graph
	// data writes the data sets that the commands name into the working directory.
	data func(dir string) error
	// scores are the metrics that the files reach on the data, by folder of --out and name of the metric.
	scores map[string]map[string]float64
	// also are additional forms of the data: arguments of harness run, and the metrics.
	also []form
	// instead replaces words of the commands.
	instead map[string]string
	// whole runs the commands with --smoke unchanged. The others use fewer queries, because there are many commands.
	whole   bool
	queries int // number of queries; 0: 16
	// replays is set if timed runs replay recorded conversations, without LoadGen.
	replays bool
	// server starts the server at http://host:8000 in the commands, and returns its address; nil: no server.
	server func(t *testing.T) string
	turn   int // index of the scenario of a smoke run; 0: all
	// layouts are the sentences of describe about data sets that the commands try, without the final full stop.
	layouts []string
}

// form is one that describe lists and no command of the document uses.
type form struct {
	arguments string
	scores    map[string]float64
}

// doors lists the doors of all models.
func doors() []door {
	return slices.Concat(classifierDoors(), detectionDoors(), pointpaintingDoors(), unetDoors(), dlrmDoors(), bertDoors(),
		languageDoors(), reasoningDoors(), vlDoors(), rnntDoors(), whisperDoors(), rgatDoors(), gnmtDoors(), sdxlDoors(),
		agenticDoors(), ragDoors(), wanDoors())
}

// TestEveryModelHasADoor expects a door, and so tested commands of docs/real-data.md, for each model.
func TestEveryModelHasADoor(t *testing.T) {
	missing := manifestModels(t)
	for _, d := range doors() {
		delete(missing, d.model)
	}
	if len(missing) > 0 {
		t.Errorf("no commands of docs/real-data.md are tried for %v", slices.Sorted(maps.Keys(missing)))
	}
	models := manifestModels(t)
	for model, twin := range twins {
		_, there := models[model]
		if _, other := models[twin]; !there || !other || twins[twin] != "" {
			t.Errorf("%s is left to make test-all for %s, which is tried: one of them is no model, or neither is", model, twin)
		}
	}
}

// twins are models whose commands make test does not try: those of another model work the same way, with files of the
// same forms, and other tests compare their limits and numbers of queries with the rounds.
var twins = map[string]string{
	"3d-unet-brats":                  "3d-unet", // with 128 MB per sample
	"bert-99.9":                      "bert-99",
	"deepseek-r1-interactive":        "deepseek-r1",
	"gpt-oss-120b-interactive":       "gpt-oss-120b",
	"llama2-70b":                     "llama2-70b-interactive",
	"llama3.1-405b-interactive":      "llama3.1-405b",
	"llama3.1-8b-edge":               "llama3.1-8b",
	"llama3.1-8b-interactive":        "llama3.1-8b",
	"qwen3-vl-235b-a22b-interactive": "qwen3-vl-235b-a22b",
	"yolo-95":                        "yolo-99",
}

// TestRealData runs the commands of docs/real-data.md for each model, on small files in the official forms: in one
// scenario, which varies between models, and in all scenarios for the first model and in make test-all.
func TestRealData(t *testing.T) {
	sections := realDataCommands(t)
	for i, d := range append(doors(), backendDoor(t)) {
		d.turn = i
		section := cmp.Or(d.section, d.model)
		commands := sections[section]
		delete(sections, section)
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			if twins[d.model] != "" {
				slow.Skip(t)
			}
			d.walk(t, commands)
		})
	}
	if len(sections) > 0 {
		t.Errorf("docs/real-data.md has commands for %v, and no test makes their files", slices.Sorted(maps.Keys(sections)))
	}
}

// realDataCommands returns the commands of docs/real-data.md by the heading above them. A line that ends with a
// backslash continues in the next.
func realDataCommands(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(built.Doc("real-data.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections, heading := map[string][]string{}, ""
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", "")) {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			heading = strings.TrimSpace(name)
		}
		if command, ok := strings.CutPrefix(line, "    "); ok && strings.HasPrefix(command, "bin/harness ") {
			sections[heading] = append(sections[heading], strings.TrimSpace(command))
		}
	}
	return sections
}

// walk runs the commands in a folder with the files, and with the binaries in bin/.
func (d door) walk(t *testing.T, commands []string) {
	w := walker{door: d, dir: t.TempDir()}
	if err := os.Symlink(built.Alone(d.model), filepath.Join(w.dir, "bin")); err != nil {
		t.Fatal(err)
	}
	for path, graph := range d.files {
		if err := graph.Write(filepath.Join(w.dir, filepath.FromSlash(path))); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.data(w.dir); err != nil {
		t.Fatal(err)
	}
	w.describe(t)
	done := map[string]int{}
	url := "http://host:8000"
	if d.server != nil {
		url = strings.TrimSuffix(d.server(t), "/v1")
	}
	for _, line := range d.withImplied(commands) {
		line = strings.ReplaceAll(line, "http://host:8000", url)
		for old, by := range d.instead {
			line = strings.ReplaceAll(line, old, by)
		}
		done[w.run(t, line)]++
	}
	for i, f := range d.also {
		w.try(t, f, fmt.Sprintf("out/also-%d", i))
	}
	for _, kind := range []string{"smoke", "official", "score"} {
		if done[kind] == 0 {
			t.Errorf("docs/real-data.md has no %s command for %s", kind, d.model)
		}
	}
}

// smokeOnly are the parts of a smoke command that the document says to omit for the run under the rules.
var smokeOnly = regexp.MustCompile(` --smoke| --count [0-9]+|-smoke\b`)

// withImplied adds the commands that the document describes without listing them: the score of each smoke run of the
// model, and after the first one the run under the rules, except in sections that list it or use --official.
func (d door) withImplied(commands []string) []string {
	var all, listed []string
	official := false
	for _, line := range commands {
		words := strings.Fields(line)
		listed = append(listed, strings.Join(words, " "))
		official = official || slices.Contains(words, "--official")
	}
	add := func(line string) {
		if !slices.Contains(listed, line) {
			all = append(all, line)
		}
	}
	for _, line := range listed {
		all = append(all, line)
		words := strings.Fields(line)
		if words[1] != "run" || words[2] != d.model || !slices.Contains(words, "--smoke") {
			continue
		}
		add("bin/harness score " + words[slices.Index(words, "--out")+1])
		if !official {
			add(smokeOnly.ReplaceAllString(line, ""))
			official = true
		}
	}
	return all
}

// walker is a door and the folder that its commands run in.
type walker struct {
	door
	dir       string
	scenarios []string
	smoked    []string // those of the smoke runs
}

// shell runs a command line in the folder, with additional arguments.
func (w *walker) shell(t *testing.T, line string, more ...string) harness.Result {
	t.Helper()
	cmd := harness.Command(t, "sh", "-c", line+` "$@"`, "sh")
	cmd.Args = append(cmd.Args, more...)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "HOME="+w.dir, "XDG_CACHE_HOME=", "PLUMBLINE_CACHE=")
	return harness.Finish(t, cmd)
}

// describe expects the sentences about layouts that the commands try, and reads the scenarios.
func (w *walker) describe(t *testing.T) {
	t.Helper()
	text := strings.Join(strings.Fields(w.shell(t, "bin/harness describe "+w.model).WantCode(t, 0).Stdout), " ")
	harness.WantParts(t, text, w.layouts...)
	list := regexp.MustCompile(`scenarios ((?:\w+, )*\w+) LoadGen key`).FindStringSubmatch(text)
	if list == nil {
		t.Fatalf("describe lists no scenarios:\n%s", text)
	}
	w.scenarios = strings.Split(list[1], ", ")
	w.smoked = w.scenarios
	if w.turn > 0 && !slow.All() {
		i := w.turn % len(w.scenarios)
		w.smoked = w.scenarios[i : i+1]
	}
}

// run runs a command of the document: downloads only from the cache, runs of minutes as plans, smoke runs with fewer
// queries. It returns which kind of command it was.
func (w *walker) run(t *testing.T, line string) (kind string) {
	t.Helper()
	words := strings.Fields(line)
	switch {
	case words[1] == "fetch":
		w.shell(t, line, "--offline").WantCode(t, 0)
		return "fetch"
	case words[1] == "dataset":
		w.shell(t, line).WantCode(t, 0)
		return "dataset"
	case words[1] == "score":
		w.score(t, line, words[2])
		return "score"
	case words[1] == "run" && slices.Contains(words, "--smoke"):
		w.smoke(t, line, words[slices.Index(words, "--out")+1])
		return "smoke"
	case words[1] == "run":
		w.official(t, line)
		return "official"
	}
	t.Fatalf("docs/real-data.md: %q is no command that this test knows", line)
	return ""
}

// try runs the accuracy of an additional form.
func (w *walker) try(t *testing.T, f form, out string) {
	t.Helper()
	scenario := "Offline"
	if w.replays || !slices.Contains(w.scenarios, scenario) {
		scenario = "SingleStream"
	}
	line := fmt.Sprintf("bin/harness run %s %s --mode accuracy --scenario %s --smoke --out %s",
		w.model, f.arguments, scenario, out)
	w.shell(t, line).WantCode(t, 0)
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(w.dir, out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Accuracy == nil {
		t.Fatalf("%s: %+v, want one accuracy run", line, doc)
	}
	wantScores(t, line, f.scores, doc.Runs[0].Accuracy.Metrics)
}

// timed is the mode of timed runs.
func (d door) timed() string {
	if d.replays {
		return "serving"
	}
	return "performance"
}

// official expects a plan of the rules' ten minutes for every scenario in both modes.
func (w *walker) official(t *testing.T, line string) {
	t.Helper()
	plan := w.shell(t, line, "--dry-run").WantCode(t, 0)
	text := strings.Join(strings.Fields(plan.Stdout), " ")
	for _, scenario := range w.scenarios {
		harness.WantParts(t, text, scenario+" "+w.timed()+": official settings", scenario+" accuracy: official settings")
	}
	harness.WantParts(t, text, "min_duration 600000 ms")
}

// short are the document's settings for very short runs. With so few queries, or on a busy machine, they may be
// INVALID.
func (d door) short() []string {
	if d.whole {
		return nil
	}
	n := cmp.Or(d.queries, 16)
	return []string{
		"--set", "Server.min_duration=100", "--set", fmt.Sprintf("min_query_count=%d", n),
		"--set", fmt.Sprintf("Offline.min_query_count=%d", 2*n),
	}
}

// smoke expects complete runs of the scenarios in both modes, and the scores.
func (w *walker) smoke(t *testing.T, line, out string) {
	t.Helper()
	args := w.short()
	if len(w.smoked) < len(w.scenarios) {
		args = append(args, "--scenario", w.smoked[0])
	}
	r := w.shell(t, line, args...)
	if r.Code != 0 && r.Code != 3 {
		t.Fatalf("%s: exit code %d, want 0, or 3 for INVALID; it printed:\n%s", line, r.Code, r.Both())
	}
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(w.dir, out, "result.json"), &doc)
	missing := map[string]bool{}
	for _, scenario := range w.smoked {
		missing[scenario+" "+w.timed()], missing[scenario+" accuracy"] = true, true
	}
	for _, run := range doc.Runs {
		if run.Status == "complete" {
			delete(missing, run.Scenario+" "+run.Mode)
		}
		if run.Accuracy != nil {
			wantScores(t, line, w.scores[out], run.Accuracy.Metrics)
		}
	}
	if len(missing) > 0 {
		t.Errorf("%s: not complete: %v; it printed:\n%s", line, slices.Sorted(maps.Keys(missing)), r.Both())
	}
}

// wantScores compares the metrics of a run with those that the files reach.
func wantScores(t *testing.T, line string, scores map[string]float64, metrics []results.Metric) {
	t.Helper()
	if len(scores) == 0 {
		t.Fatalf("%s: the test knows no score", line)
	}
	measured := map[string]float64{}
	for _, m := range metrics {
		measured[m.Name] = m.Value
	}
	for name, want := range scores {
		if got, ok := measured[name]; !ok || math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("%s: %s = %v, want %v", line, name, got, want)
		}
	}
}

// score expects the texts that the runs wrote, printed and written again.
func (w *walker) score(t *testing.T, line, out string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(w.dir, out, w.model, "*", "accuracy", "accuracy.txt"))
	if err != nil || len(paths) != len(w.smoked) {
		t.Fatalf("%s: %q, %v; want accuracy.txt of %v", line, paths, err, w.smoked)
	}
	var before []string
	for _, path := range paths {
		before = append(before, testfile.Read(t, path))
	}
	r := w.shell(t, line).WantCode(t, 0)
	for i, path := range paths {
		if after := testfile.Read(t, path); after != before[i] || !strings.Contains(r.Stdout, after) {
			t.Errorf("%s: it wrote %q and printed:\n%swant %q of the run", line, after, r.Stdout, before[i])
		}
	}
}
