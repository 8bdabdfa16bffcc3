package plugins

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
)

// TestPythonBackendIsShort needs no Python. The example must be short enough to read in one sitting.
func TestPythonBackendIsShort(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(built.Root(), "examples", "python-backend", "backend.py"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(source), "\n"); lines >= 170 {
		t.Errorf("the example has %d lines, promised are fewer than 170", lines)
	}
}

// TestPythonBackend runs the example of a backend in Python: its answers equal those of the backend in the plugin.
func TestPythonBackend(t *testing.T) {
	script := filepath.Join(built.Root(), "examples", "python-backend", "backend.py")
	command := "command=" + built.NeedPython(t) + " " + script
	classes := func(args ...string) map[int]float64 {
		out := t.TempDir()
		harness.Run(t, append([]string{"run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--out", out,
			"--force"},
			args...)...).WantCode(t, 0)
		return results.LoggedClasses(t, filepath.Join(out, "resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	}
	want := classes()
	for _, shared := range []string{"auto", "off"} {
		got := classes("--backend", "process", "--backend-opt", command, "--backend-opt", "shared_memory="+shared)
		if len(got) != 1000 || !maps.Equal(got, want) {
			t.Errorf("shared memory %s: the classes of %d pictures differ from those of the plugin's own backend",
				shared, len(got))
		}
	}
}

// TestPythonBackendIsSound verifies the example; a few samples suffice.
func TestPythonBackendIsSound(t *testing.T) {
	script := filepath.Join(built.Root(), "examples", "python-backend", "backend.py")
	r := harness.Run(t, "verify", "resnet50", "--backend", "process", "--backend-opt",
		"command="+built.NeedPython(t)+" "+script,
		"--count", "32", "--memory-time", "2s").WantCode(t, 0)
	if !strings.Contains(r.Stdout, "sound: 22 checks passed") {
		t.Errorf("it printed:\n%s", r.Stdout)
	}
}

// TestPythonNewModules runs the modules that harness new writes in Python, outside the tree and without
// PLUMBLINE_PROTO.
func TestPythonNewModules(t *testing.T) {
	interpreter, dir := built.NeedPython(t), t.TempDir()
	for _, kind := range []string{"backend", "benchmark"} {
		harness.Run(t, "new", kind, filepath.Join(dir, "my"+kind), "--language", "python",
			"--checkout", built.Root()).WantCode(t, 0)
	}
	run := func(dir string, args ...string) {
		t.Helper()
		cmd := harness.Command(t, built.Harness(), append(args, "--mode", "accuracy", "--scenario", "Offline",
			"--out", t.TempDir(), "--force")...)
		cmd.Dir = dir
		harness.Finish(t, cmd).WantCode(t, 0)
	}
	run(filepath.Join(dir, "mybackend"), "run", "resnet50", "--backend", "process",
		"--backend-opt", "command="+interpreter+" backend.py", "--count", "100")
	plugin := filepath.Join(dir, "mybenchmark", "plumbline-plugin-mybenchmark")
	if info, err := os.Stat(plugin); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("%v, %v: want a program", info, err)
	}
	setInterpreter(t, interpreter, plugin, plugin)
	run(filepath.Dir(plugin), "run", "mybenchmark", "--plugin-dir", ".")
}
