// Package built provides the binaries that the tests below e2e run. They are built once, under a lock, into
// bin/e2e/KEY; the key is the hash of the sources. All packages of one go test, and other tests at the same time, share
// them. The next build removes unused binaries.
package built

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// place holds the folder of the binaries, the workspace that they are built from, and which plugin serves each model.
// Main sets it.
var place struct {
	root, dir string
	models    map[string]string
}

// Main is the TestMain of every package below e2e: it builds the binaries and runs the tests.
func Main(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	os.Unsetenv("GITHUB_STEP_SUMMARY") // tests must not write to the summary of a CI step
	root, err := workspace()
	if err != nil {
		return 0, err
	}
	own, err := os.MkdirTemp("", "plumbline-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(own)
	if err := os.Setenv("PLUMBLINE_CONFIG", filepath.Join(own, "settings")); err != nil { // not the user's settings
		return 0, err
	}
	dir, release, err := open(root)
	if err != nil {
		return 0, err
	}
	defer release()
	place.root, place.dir = root, dir
	if place.models, err = readModels(dir); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// Root returns the folder of the workspace.
func Root() string { return place.root }

// Doc returns the path of a page of docs/.
func Doc(page string) string { return filepath.Join(place.root, "docs", page) }

// Dir returns the folder of the binaries: harness, plugins/ with ONNX Runtime's library, faulty/, cheater/,
// translation/ and pair/ with plugins for tests, oip-mock and openai-mock, and harness-official if make test-official
// OF=loadgen names its sources. Nothing may be written there.
func Dir() string { return place.dir }

// Harness returns the path of the harness beside all plugins.
func Harness() string { return filepath.Join(place.dir, "harness") }

// Cheater returns the folder of the benchmarks for tests of audits.
func Cheater() string { return filepath.Join(place.dir, "cheater") }

// GoTool runs the go command in dir.
func GoTool(dir string, env []string, args ...string) error {
	return goTool(dir, env, nil, args...)
}

// goTool runs the go command in dir. It passes files whose locks must be held until it ends, even if this process is
// killed.
func goTool(dir string, env []string, lock *os.File, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	if os.Getenv("GOGC") == "" {
		cmd.Env = append(cmd.Env, "GOGC=400") // as in the Makefile
	}
	if lock != nil {
		cmd.ExtraFiles = []*os.File{lock}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// workspace returns the folder above the tests' packages that contains go.work.
func workspace() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.work in %s or above it: the tests run in a checkout", start)
		}
	}
}

// Install puts the harness and folders of Dir into a folder of the test, so that the paths of its processes differ from
// those of other tests. The folder is beside the binaries and contains hard links to them, because temporary files may
// be in memory.
func Install(t *testing.T, folders ...string) (dir string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(place.dir)
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = os.MkdirTemp(root, "installed-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := link(place.dir, dir, append(folders, "harness")...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Copy copies a file of Dir that must not be linked or is changed.
func Copy(t *testing.T, name, to string) {
	t.Helper()
	if err := copyFile(filepath.Join(place.dir, name), to); err != nil {
		t.Fatal(err)
	}
}

// link makes links, or copies, in dir of the files and folders of the names in from.
func link(from, dir string, names ...string) error {
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(from, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			target := filepath.Join(dir, rel)
			if d.IsDir() {
				return os.MkdirAll(target, 0o755)
			}
			if os.Link(path, target) == nil {
				return nil
			}
			return copyFile(path, target) // another file system
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a binary.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if e := target.Close(); err == nil {
		err = e
	}
	return err
}

// NeedOfficial skips a test if the official LoadGen was not built.
func NeedOfficial(t *testing.T) {
	t.Helper()
	if os.Getenv(OfficialSource) == "" {
		t.Skipf("%s names no source of the official LoadGen: make test-official OF=loadgen LOADGEN=DIR runs this",
			OfficialSource)
	}
}

// NeedPython returns the interpreter that make test-extra OF=python names. Without one it skips the test.
func NeedPython(t *testing.T) string {
	t.Helper()
	path := os.Getenv("PLUMBLINE_PYTHON")
	if path == "" {
		t.Skip("PLUMBLINE_PYTHON names no interpreter: make test-extra OF=python PYTHON=python3 runs this")
	}
	return path
}
