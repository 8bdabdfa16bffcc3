package plugins

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
)

// TestVendorModuleOutsideTheTree follows docs/vendor.md: a module that harness new writes gets the example's backend
// and a real benchmark, is built against this checkout, runs, and is compared with the built-in plugin.
func TestVendorModuleOutsideTheTree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "acme")
	harness.Run(t, "new", "backend", dir, "--checkout", built.Root()).WantCode(t, 0)
	replaceModule(t, dir, filepath.Join(built.Root(), "examples", "vendor-backend"))
	plugins := filepath.Join(dir, "bin")
	if err := built.GoTool(dir, []string{"GOWORK=off"}, "build", "-mod=mod", "-ldflags=-w",
		"-o", filepath.Join(plugins, "plumbline-plugin-resnet50-acme"), "."); err != nil {
		t.Fatal(err)
	}
	chosen := []string{"--plugin-dir", plugins, "--plugin", "resnet50-acme"}
	args := []string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--out",
		t.TempDir(), "--force"}
	r := harness.Run(t, append(args, chosen...)...).WantCode(t, 0)
	if !strings.Contains(r.Stdout, "acme") {
		t.Errorf("the backend's name is not in the output:\n%s", r.Stdout)
	}
	// It classifies by brightness, so the reference is better.
	r = harness.Run(t, append([]string{"verify", "resnet50", "--only", "reference", "--count", "50", "--reference",
		"resnet50:ort"}, chosen...)...).WantCode(t, 5)
	if text := strings.Join(strings.Fields(r.Stdout), " "); !strings.Contains(text, "accuracy is too low") ||
		!strings.Contains(text, "payloads differ") {
		t.Errorf("it printed:\n%s", r.Both())
	}
}

// replaceModule replaces the packages of a module with those of another, and keeps its go.mod.
func replaceModule(t *testing.T, dir, by string) {
	t.Helper()
	for _, name := range []string{"main.go", "main_test.go", "acme", "clusters"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	source, err := os.ReadFile(filepath.Join(by, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), source, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "acme"), os.DirFS(filepath.Join(by, "acme"))); err != nil {
		t.Fatal(err)
	}
}

// TestExampleLoadgenOnly runs the example of a program that uses LoadGen as a library.
func TestExampleLoadgenOnly(t *testing.T) {
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = filepath.Join(built.Root(), "examples", "loadgen-only")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), ": VALID") {
		t.Errorf("%v; it printed:\n%s", err, out)
	}
}
