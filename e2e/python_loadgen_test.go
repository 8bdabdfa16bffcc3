package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const accuracyLog = "mlperf_log_accuracy.json"

// officialLoadgen has the official LoadGen drive the resnet50 plugin, and returns the folder of its logs.
func officialLoadgen(t *testing.T, args ...string) (logs string) {
	t.Helper()
	plugin := filepath.Join(built.dir, "plugins", "plumbline-plugin-resnet50")
	script := filepath.Join(built.root, "examples", "official-loadgen", "drive.py")
	logs = t.TempDir()
	finish(t, command(t, python(t), append([]string{script, "--plugin", plugin, "--out", logs}, args...)...)).wantCode(t,
		0)
	return logs
}

// TestPythonOfficialLoadgen has the official LoadGen drive the plugin on the embedded data: it issues the same samples
// in the same order as ours, gets the same answers, and its log scores the same.
func TestPythonOfficialLoadgen(t *testing.T) {
	logs, out := officialLoadgen(t, "--scenario", "Offline", "--mode", "accuracy"), t.TempDir()
	harness(t, "run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--out", out, "--force").wantCode(t, 0)
	theirs := filepath.Join(logs, accuracyLog)
	sameEntries(t, filepath.Join(out, "resnet50", "Offline", "accuracy", accuracyLog), theirs, 1000)
	r := harness(t, "score", theirs, "--benchmark", "resnet50").wantCode(t, 0)
	if !strings.Contains(r.stdout, "97.1") {
		t.Errorf("the official log scores\n%s", r.stdout)
	}
}

// TestPythonOfficialLoadgenOnGoldenPhotos does the same with a real model on real photographs: every prediction is the
// reference's.
func TestPythonOfficialLoadgenOnGoldenPhotos(t *testing.T) {
	python(t)
	model, photos := realModel(t)
	logs, out := officialLoadgen(t, "--scenario", "Offline", "--mode", "accuracy", "--model-file", model,
		"--dataset", photos), t.TempDir()
	theirs := filepath.Join(logs, accuracyLog)
	checkPredictions(t, photos, theirs)
	harness(t, "run", "resnet50", "--model", model, "--dataset", photos, "--mode", "accuracy", "--scenario", "Offline",
		"--out", out, "--force").wantCode(t, 0)
	sameEntries(t, filepath.Join(out, "resnet50", "Offline", "accuracy", accuracyLog), theirs, 300)
}

// allLogged are settings with which a performance run of 400 queries writes every answer to the accuracy log.
const allLogged = `*.*.min_duration = 0
*.*.min_query_count = 400
*.*.max_query_count = 400
*.*.performance_sample_count_override = 100
*.SingleStream.target_latency = 10
*.Server.target_qps = 200
*.*.accuracy_log_sampling_target = 1000000
`

// TestPythonOfficialLoadgenIssuesTheSameQueries compares performance runs, query by query.
func TestPythonOfficialLoadgenIssuesTheSameQueries(t *testing.T) {
	for scenario, samples := range map[string]int{"SingleStream": 400, "Server": 400} {
		t.Run(scenario, func(t *testing.T) {
			python(t)
			conf := filepath.Join(t.TempDir(), "user.conf")
			if err := os.WriteFile(conf, []byte(allLogged), 0o644); err != nil {
				t.Fatal(err)
			}
			logs, out := officialLoadgen(t, "--scenario", scenario, "--user-conf", conf), t.TempDir()
			r := harness(t, "run", "resnet50", "--mode", "performance", "--scenario", scenario, "--user-conf", conf,
				"--out", out, "--force")
			if r.code != 0 && r.code != 3 { // the latency is not what is compared
				t.Fatal(r.both())
			}
			sameEntries(t, filepath.Join(out, "resnet50", scenario, "performance", "run_1", accuracyLog),
				filepath.Join(logs, accuracyLog), samples)
		})
	}
}

// sameEntries wants n entries in both accuracy logs: the same samples under the same sequence
// ids, with the same answers.
func sameEntries(t *testing.T, ours, theirs string, n int) {
	t.Helper()
	got, want := loggedEntries(t, ours), loggedEntries(t, theirs)
	if len(want) != n || !maps.Equal(got, want) {
		t.Errorf("%d entries of the official LoadGen, %d of ours, want the same %d", len(want), len(got), n)
	}
}

// entry is one line of an accuracy log.
type entry struct {
	Sequence int    `json:"seq_id"`
	Index    int    `json:"qsl_idx"`
	Data     string `json:"data"`
}

// loggedEntries reads an accuracy log by its sequence ids.
func loggedEntries(t *testing.T, path string) map[int]entry {
	t.Helper()
	var entries []entry
	readJSON(t, path, &entries)
	bySequence := make(map[int]entry, len(entries))
	for _, e := range entries {
		bySequence[e.Sequence] = e
	}
	return bySequence
}
