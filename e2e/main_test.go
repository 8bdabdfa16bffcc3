package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// built is where TestMain puts the binaries that all tests use: harness, plugins/, faulty/.
var built struct{ root, dir string }

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	root, err := workspaceRoot()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "plumbline-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	built.root, built.dir = root, dir
	if err := os.Setenv("PLUMBLINE_CONFIG", filepath.Join(dir, "settings")); err != nil { // not the user's own
		return 0, err
	}
	tags := ""
	if os.Getenv("PLUMBLINE_PACE") != "" { // as on a machine that is quicker or slower: make test-pace
		tags = "pace"
	}
	steps := [][]string{
		{"build", "-o", dir + "/", "./cmd/harness"},
		{"build", "-tags", tags, "-o", filepath.Join(dir, "plugins") + "/", "./cmd/plugins/..."},
		{"build", "-o", filepath.Join(dir, "faulty", "plumbline-plugin-faulty"), "./sdk/internal/faultyplugin"},
		{"build", "-o", filepath.Join(dir, "faulty", "plumbline-plugin-broken"),
			"./sdk/conformance/testdata/plumbline-plugin-broken"},
		{"run", "./cmd/plugins/internal/ortlib", "-o", filepath.Join(dir, "plugins")},
	}
	for _, args := range steps {
		if err := goTool(root, nil, args...); err != nil {
			return 0, err
		}
	}
	return m.Run(), nil
}

// goTool runs the go command in dir.
func goTool(dir string, env []string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// workspaceRoot is the folder above this package that holds go.work.
func workspaceRoot() (string, error) {
	dir, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.work")); err != nil {
		return "", fmt.Errorf("no go.work in %s: %w", dir, err)
	}
	return dir, nil
}

func harnessBinary() string { return filepath.Join(built.dir, "harness") }
