package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// builtDir is where the plugins with faults are built.
var builtDir string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// buildAndRun builds two plugins: one whose benchmark is broken, which the sdk serves, and one that is broken on the
// wire.
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

// plugin is the path of one that was built.
func plugin(name string) string { return filepath.Join(builtDir, "plumbline-plugin-"+name) }
