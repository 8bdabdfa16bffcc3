package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVendorModuleOutsideTheTree builds a vendor's own module, with a backend of its own, against this checkout, and runs
// the benchmark on it.
func TestVendorModuleOutsideTheTree(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(built.root, "examples", "vendor-backend"))); err != nil {
		t.Fatal(err)
	}
	writeVendorModule(t, dir)
	plugins := filepath.Join(dir, "bin")
	if err := goTool(dir, []string{"GOWORK=off", "GOFLAGS=-mod=mod"}, "build", "-o", filepath.Join(plugins, "plumbline-plugin-resnet50-acme"), "."); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	r := harness(t, "run", "resnet50", "--plugin-dir", plugins, "--plugin", "resnet50-acme", "--scenario", "Offline", "--mode", "performance", "--out", out, "--force").wantCode(t, 0)
	if !strings.Contains(r.stdout, "acme") {
		t.Errorf("the backend's name is not in the output:\n%s", r.stdout)
	}
}

// writeVendorModule writes a go.mod that finds this project in the checkout, as a vendor's go.work or a tag would.
func writeVendorModule(t *testing.T, dir string) {
	t.Helper()
	var mod strings.Builder
	fmt.Fprint(&mod, "module example.com/acme\n\ngo 1.26.0\n\n")
	for _, m := range []string{"loadgen", "preprocess", "accuracy", "datasets", "sdk", "plugins/resnet50"} {
		path := "github.com/plumbline-ml/plumbline/" + m
		fmt.Fprintf(&mod, "require %s v0.0.0\nreplace %s => %s\n", path, path, filepath.Join(built.root, m))
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(built.root, "plugins", "resnet50", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestExampleLoadgenOnly runs the example of a program that uses LoadGen as a library.
func TestExampleLoadgenOnly(t *testing.T) {
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = filepath.Join(built.root, "examples", "loadgen-only")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "VALID") {
		t.Errorf("%v; it printed:\n%s", err, out)
	}
	source, err := os.ReadFile(filepath.Join(cmd.Dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(source), "\n"); lines >= 40 {
		t.Errorf("the example has %d lines, promised are fewer than 40", lines)
	}
}
