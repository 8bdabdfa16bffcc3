package check

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// endpointsTree makes a tree with one result in the form of the endpoints harness; change has the last word on its
// files, by their names below the scenario.
func endpointsTree(t *testing.T, change func(files map[string]string)) (root string) {
	t.Helper()
	files := replayFiles()
	change(files)
	return treeOf(t, map[string]map[string]string{"qwen3.6-27b/SingleStream": files}, "edge")
}

// replayFiles are those of a sound replay.
func replayFiles() map[string]string {
	return map[string]string{
		endpoints.ConfigFile: "model_params: {temperature: 0.0, seed: 42.0, streaming: \"on\"}\ntype: online\n" +
			"version: '1.0'\nsettings:\n  runtime: {min_duration_ms: 0, max_duration_ms: 14400000, " +
			"scheduler_random_seed: 42, dataloader_random_seed: 42}\n  load_pattern: {type: agentic_inference, " +
			"target_concurrency: 1}\n  client: {num_workers: 1, max_connections: 1}\n",
		endpoints.SummaryFile: `{"n_samples_issued":1007,"n_samples_completed":1007,"n_samples_failed":0,"complete":true,` +
			`"duration_ns":10332249793088,"qps":0.0974,"latency":{"avg":10260000000.5,"percentiles":{"99.0":2e10}}}`,
		endpoints.AccuracyFile: `{"average_accuracy":0.8623,"accuracy_scores":[{"dataset_name":"bfcl_v4::function_calling",` +
			`"score":0.8623,"total_samples":995,"dataset_type":"accuracy","breakdown":{"overall_accuracy":86.23,` +
			`"normalized_single_turn_score":87.96,"subset_scores":{}},"response_counts":{"issued":995}}]}`,
		endpoints.ScoresFile: `{"score":0.63,"turns":{"issued":1007,"expected":1006,"observed":1006,"missing":0}}`,
	}
}

// treeOf makes a tree of results, which are named by benchmark and scenario, of a system of a type.
func treeOf(t *testing.T, results map[string]map[string]string, kind string) (root string) {
	t.Helper()
	root = t.TempDir()
	lab := filepath.Join(root, "closed", "Lab")
	write := func(name string, text []byte) {
		path := filepath.Join(lab, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("testdata", "endpoints", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	write("systems/system.json", bytes.Replace(read("system.json"), []byte(`"edge"`), []byte(`"`+kind+`"`), 1))
	for _, name := range []string{"src/README.md", "documentation/calibration.md"} {
		write(name, []byte("text\n"))
	}
	for result, files := range results {
		scenario := "results/system/" + result + "/"
		write(scenario+"measurements.json", read("measurements.json"))
		write(scenario+"README.md", []byte("text\n"))
		for name, text := range files {
			write(scenario+name, []byte(text))
		}
	}
	return root
}

// findingsOf are the findings of the tree's one result, a line each.
func findingsOf(t *testing.T, root string) string {
	t.Helper()
	return findingsIn(t, root, "SingleStream")
}

// findingsIn are those of a result whose path has a text.
func findingsIn(t *testing.T, root, in string) string {
	t.Helper()
	return findingsBy(t, "v6.1", root, in)
}

// findingsBy are those by a round's rules.
func findingsBy(t *testing.T, round, root, in string) string {
	t.Helper()
	of, err := tree.Open(root, round)
	if err != nil {
		t.Fatal(err)
	}
	defer of.Close()
	report, err := Run(t.Context(), of, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range report.Findings {
		if strings.Contains(f.Path, in) {
			fmt.Fprintf(&b, "%v %s: %s: %s; %s\n", f.Severity, f.Rule, f.What, f.Found, f.Expected)
		}
	}
	return b.String()
}

// roundsSeeds are those of v6.1, in the configuration.
var roundsSeeds = strings.NewReplacer("scheduler_random_seed: 42", "scheduler_random_seed: 16159082839903944936",
	"dataloader_random_seed: 42", "dataloader_random_seed: 2747215439041700203", "min_duration_ms: 0", "min_duration_ms: "+
		"600000")

// TestEndpoints: a result of the endpoints harness is judged by its own ruleset, and the seeds that ran are told.
func TestEndpoints(t *testing.T) {
	for _, c := range []struct {
		name    string
		in, old string
		with    string
		want    []string // findings; none: warnings alone
	}{
		{"sound", "", "", "", []string{"the seeds are those of the endpoints harness's rules, and not the round's"}},
		{"too low", endpoints.AccuracyFile, "87.96", "85.32",
			[]string{"normalized_single_turn_score 85.32; at least 85.3212"}},
		{"just enough", endpoints.AccuracyFile, "86.23,", "83.65,", nil},
		{"fewer samples", endpoints.AccuracyFile, `"total_samples":995`, `"total_samples":994`, []string{"994; 995"}},
		{"no breakdown", endpoints.AccuracyFile, "breakdown", "other", []string{"there is no accuracy"}},
		{"cut", endpoints.SummaryFile, `"n_samples_issued":1007`, `"n_samples_issued":1000`, []string{"it is not all turns"}},
		{"failed", endpoints.SummaryFile, `"n_samples_failed":0`, `"n_samples_failed":1`, []string{"the run is not whole"}},
		{"no result", endpoints.SummaryFile, "avg", "mean", []string{"there is no result"}},
		{"no JSON", endpoints.SummaryFile, "{", "", []string{"the file cannot be read"}},
		{"missing turns", endpoints.ScoresFile, `"missing":0`, `"missing":2`, []string{"turns are missing"}},
		{"nobody's seed", endpoints.ConfigFile, "dataloader_random_seed: 42", "dataloader_random_seed: 7",
			[]string{"the seeds are nobody's"}},
		{"drawn", endpoints.ConfigFile, "temperature: 0.0", "temperature: 0.7", []string{"tokens are drawn: 0.7"}},
		{"two at a time", endpoints.ConfigFile, "num_workers: 1", "num_workers: 2", []string{"num_workers 2"}},
	} {
		got := findingsOf(t, endpointsTree(t, func(files map[string]string) {
			files[c.in] = strings.Replace(files[c.in], c.old, c.with, 1)
			delete(files, "")
		}))
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, got)
			}
		}
		if rejected := strings.Contains(got, "reject"); rejected != (c.want != nil && c.name != "sound") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	got := findingsOf(t, endpointsTree(t, func(files map[string]string) {
		files[endpoints.ConfigFile] = roundsSeeds.Replace(files[endpoints.ConfigFile])
		delete(files, endpoints.ScoresFile)
	}))
	for _, want := range []string{"the seeds are the round's", "a file is missing"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestOfficialEndpointsTree lets the official checker judge trees in this form: it takes one with the round's seeds and
// ten minutes, also with an accuracy of 10 %, and refuses the benchmark's official configuration.
func TestOfficialEndpointsTree(t *testing.T) {
	for name, c := range map[string]struct {
		change func(files map[string]string)
		takes  bool
	}{
		"the official configuration": {func(map[string]string) {}, false},
		"the round's seeds": {func(files map[string]string) {
			files[endpoints.ConfigFile] = roundsSeeds.Replace(files[endpoints.ConfigFile])
		}, true},
		"an accuracy of 10 %": {func(files map[string]string) {
			files[endpoints.ConfigFile] = roundsSeeds.Replace(files[endpoints.ConfigFile])
			files[endpoints.AccuracyFile] = strings.NewReplacer("86.23", "10.0", "0.8623", "0.1").
				Replace(files[endpoints.AccuracyFile])
		}, true},
	} {
		if took, out := officiallyTaken(t, endpointsTree(t, c.change)); took != c.takes {
			t.Errorf("%s: it says %t, want %t\n%s", name, took, c.takes, out)
		}
	}
}

// officiallyTaken lets the official checker judge a tree. Without a checkout the test is skipped.
func officiallyTaken(t *testing.T, root string) (took bool, out []byte) {
	t.Helper()
	checkout := os.Getenv("PLUMBLINE_MLC")
	if checkout == "" {
		t.Skip("PLUMBLINE_MLC names no checkout of mlcommons/inference (make test-official OF=endpoints)")
	}
	cmd := exec.Command(cmp.Or(os.Getenv("PYTHON"), "python3"), "-m", "submission_checker.main", "--input", root,
		"--version", "v6.1", "--submitter", "Lab", "--csv", filepath.Join(t.TempDir(), "summary.csv"))
	cmd.Dir = filepath.Join(checkout, "tools", "submission")
	out, err := cmd.CombinedOutput()
	return bytes.Contains(out, []byte("submission looks OK")), fmt.Appendf(out, "\n%v", err)
}
