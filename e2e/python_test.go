package e2e

import (
	"maps"
	"os"
	"path/filepath"
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
