package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// python returns the interpreter that installs wheels: PLUMBLINE_PYTHON, or python3.
func python() string { return cmp.Or(os.Getenv("PLUMBLINE_PYTHON"), "python3") }

// wheels checks the wheels, installs them into a new environment without Go and without an index, runs the tests of the
// package and the notebook, and removes them.
func (m made) wheels(t *testing.T) {
	files := []string{m.only(t, "plumbline_inference-*.whl"), m.only(t, "plumbline_inference_plugins-*.whl")}
	for _, f := range files {
		checkWheel(t, f)
	}
	home := t.TempDir()
	venv := filepath.Join(home, "venv")
	if text, err := exec.Command(python(), "-m", "venv", venv).CombinedOutput(); err != nil {
		t.Skipf("%s makes no environment (PLUMBLINE_PYTHON names another interpreter): %v: %s", python(), err, text)
	}
	in := func(t *testing.T, libraries string, args ...string) string {
		t.Helper()
		interpreter := filepath.Join(venv, "bin", "python")
		return run(t, home, append([]string{"env", "PYTHONPATH=" + libraries, interpreter, "-B"}, args...)...)
	}
	before := listing(t, venv)
	in(t, "", append([]string{"-m", "pip", "install", "--no-index", "--no-compile", "--quiet"}, files...)...)
	if said := run(t, home, filepath.Join(venv, "bin", "harness"), "list"); !strings.Contains(said, "bert-99") ||
		!strings.Contains(said, "resnet50") {
		t.Errorf("harness list printed\n%s", said)
	}
	top, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tests := filepath.Join(top, "python", "tests")
	t.Run("package", func(t *testing.T) { t.Log(in(t, "", "-m", "unittest", "discover", "-v", "-s", tests)) })
	t.Run("notebook", func(t *testing.T) {
		const find = "import nbclient, ipykernel, pandas, sysconfig; print(sysconfig.get_path('purelib'))"
		libraries, err := exec.Command(python(), "-c", find).Output()
		if err != nil {
			t.Skipf("%s executes no notebooks: it wants nbclient, ipykernel and pandas (PLUMBLINE_PYTHON names another "+
				"interpreter): %v", python(), err)
		}
		path := strings.TrimSpace(string(libraries))
		t.Log(in(t, path, "-m", "unittest", "discover", "-v", "-s", tests, "-k", "TestFrames"))
		notebook := filepath.Join(top, "examples", "notebook", "plumbline.ipynb")
		t.Log(in(t, path, filepath.Join(tests, "notebook.py"), notebook))
	})
	t.Run("target", func(t *testing.T) { // a folder that is no environment
		folder := filepath.Join(home, "target")
		in(t, "", append([]string{"-m", "pip", "install", "--no-index", "--no-compile", "--quiet", "--target", folder},
			files...)...)
		const where = "import plumbline_inference as p; print(p.__file__, p.program())"
		want := filepath.Join(folder, pythonPackage, "__init__.py") + " " + filepath.Join(folder, "bin", "harness")
		if said := in(t, folder, "-c", where); strings.TrimSpace(said) != want {
			t.Errorf("found %s, want %s", said, want)
		}
		if said := run(t, home, filepath.Join(folder, "bin", "harness"), "list"); !strings.Contains(said, "bert-99") {
			t.Errorf("harness list printed\n%s", said)
		}
	})
	in(t, "", "-m", "pip", "uninstall", "--yes", "--quiet", "plumbline-inference", "plumbline-inference-plugins")
	if after := listing(t, venv); after != before {
		t.Errorf("after the wheels were removed the environment has\n%s\nwant\n%s", after, before)
	}
}

// listing returns the files below a folder except those that Python compiles.
func listing(t *testing.T, dir string) string {
	t.Helper()
	files := strings.Split(run(t, dir, "find", dir, "-name", "__pycache__", "-prune", "-o", "-type", "f", "-print"), "\n")
	slices.Sort(files)
	return strings.Join(files, "\n")
}
