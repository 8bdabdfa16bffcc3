package plugins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
)

// TestPythonBenchmark runs the example of a whole benchmark in Python, and verifies it.
func TestPythonBenchmark(t *testing.T) {
	plugins := installScript(t, built.NeedPython(t), filepath.Join("examples", "python-benchmark",
		"plumbline-plugin-digits"))
	digits := func(args ...string) harness.Result {
		cmd := harness.Command(t, built.Harness(), append(args, "--plugin-dir", plugins, "--plugin", "digits")...)
		cmd.Env = append(cmd.Environ(), "PLUMBLINE_PROTO="+filepath.Join(built.Root(), "sdk", "proto"))
		return harness.Finish(t, cmd).WantCode(t, 0)
	}
	r := digits("run", "digits", "--scenario", "Offline", "--mode", "accuracy", "--out", t.TempDir(), "--force")
	if !strings.Contains(r.Stdout, "92.1") {
		t.Errorf("the accuracy is not that of the description:\n%s", r.Stdout)
	}
	if r := digits("verify", "digits"); !strings.Contains(r.Stdout, "sound: 20 checks passed") {
		t.Errorf("it printed:\n%s", r.Stdout)
	}
}

// installScript copies a script of the checkout into a folder of the test, for this interpreter.
func installScript(t *testing.T, interpreter, script string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	setInterpreter(t, interpreter, filepath.Join(built.Root(), script), filepath.Join(dir, filepath.Base(script)))
	return dir
}

// setInterpreter writes a script for this interpreter, as pip installs the scripts of a package.
func setInterpreter(t *testing.T, interpreter, from, to string) {
	t.Helper()
	source, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "\n")
	if err := os.WriteFile(to, []byte("#!"+interpreter+"\n"+rest), 0o755); err != nil {
		t.Fatal(err)
	}
}
