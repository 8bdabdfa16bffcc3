package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// builtDir is the folder of the faulty plugins.
var builtDir string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// buildAndRun builds two plugins: one with a faulty benchmark, which the sdk serves, and one with faults on the wire.
func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "plumbline-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	builtDir = dir
	for name, source := range map[string]string{"broken": "./testdata/plumbline-plugin-broken",
		"faulty": "../internal/testkit/faultyplugin"} {
		if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", plugin(name), source).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("building %s: %w\n%s", source, err, out)
		}
	}
	return m.Run(), nil
}

// plugin returns the path of a built plugin.
func plugin(name string) string { return filepath.Join(builtDir, "plumbline-plugin-"+name) }
