package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// python is the interpreter that make test-python names.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("PLUMBLINE_PYTHON")
	if path == "" {
		t.Skip("PLUMBLINE_PYTHON names no interpreter: make test-python PYTHON=python3 runs this")
	}
	return path
}

// TestPythonBackend runs the example of a backend in Python: its answers are those of the backend in the plugin.
func TestPythonBackend(t *testing.T) {
	script := filepath.Join(built.root, "examples", "python-backend", "backend.py")
	command := "command=" + python(t) + " " + script
	classes := func(args ...string) map[int]float64 {
		out := t.TempDir()
		harness(t, append([]string{"run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--out", out, "--force"}, args...)...).wantCode(t, 0)
		return loggedClasses(t, filepath.Join(out, "resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	}
	want := classes()
	for _, shared := range []string{"auto", "off"} {
		got := classes("--backend", "process", "--backend-opt", command, "--backend-opt", "shared_memory="+shared)
		if len(got) != 1000 || !maps.Equal(got, want) {
			t.Errorf("shared memory %s: the classes of %d pictures differ from those of the plugin's own backend", shared, len(got))
		}
	}
}

// TestPythonOfficialLoadgen has the official LoadGen drive the resnet50 plugin: it issues the same samples in the same
// order as ours, gets the same answers, and its log scores the same.
func TestPythonOfficialLoadgen(t *testing.T) {
	out, dir := t.TempDir(), t.TempDir()
	plugin := filepath.Join(built.dir, "plugins", "plumbline-plugin-resnet50")
	script := filepath.Join(built.root, "examples", "official-loadgen", "drive.py")
	official := command(t, python(t), script, "--plugin", plugin, "--scenario", "Offline", "--mode", "accuracy", "--out", dir)
	finish(t, official).wantCode(t, 0)
	harness(t, "run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--out", out, "--force").wantCode(t, 0)
	const name = "mlperf_log_accuracy.json"
	ours := loggedEntries(t, filepath.Join(out, "resnet50", "Offline", "accuracy", name))
	theirs := loggedEntries(t, filepath.Join(dir, name))
	if len(theirs) != 1000 || !maps.Equal(ours, theirs) {
		t.Errorf("%d entries of the official LoadGen, %d of ours, want the same 1000", len(theirs), len(ours))
	}
	r := harness(t, "score", filepath.Join(dir, name), "--benchmark", "resnet50").wantCode(t, 0)
	if !strings.Contains(r.stdout, "97.1") {
		t.Errorf("the official log scores\n%s", r.stdout)
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
