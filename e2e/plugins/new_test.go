package plugins

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
)

// TestNewModules writes the starting modules, builds them outside the tree, and runs the plugins they build.
func TestNewModules(t *testing.T) {
	outside := []string{"GOWORK=off"} // with the user's GOFLAGS, because otherwise all packages are compiled again
	for _, c := range []struct{ kind, name, plugin, model, tests string }{
		{"backend", "acme", "clusters-acme", "clusters", "Benchmark|Model|Backend|Scorer|Fuzz"},
		{"benchmark", "flowers", "flowers", "flowers", "."},
	} {
		t.Run(c.kind, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), c.name)
			r := harness.Run(t, "new", c.kind, dir, "--checkout", built.Root()).WantCode(t, 0)
			if !strings.Contains(r.Stdout, "plumbline-plugin-"+c.plugin) {
				t.Errorf("it does not say how to build the plugin:\n%s", r.Stdout)
			}
			plugins := filepath.Join(dir, "bin")
			for _, args := range [][]string{
				{"vet", "./..."},
				{"test", "-vet=off", "-run", c.tests, "./..."}, // go vet ran above, on all packages
				{"build", "-o", filepath.Join(plugins, "plumbline-plugin-"+c.plugin), "."},
			} {
				if err := built.GoTool(dir, outside, args...); err != nil {
					t.Fatal(err)
				}
			}
			r = harness.Run(t, "run", c.model, "--plugin-dir", plugins, "--scenario", "Offline", "--out", t.TempDir(),
				"--force").WantCode(t, 0)
			if !strings.Contains(r.Stdout, "PASS") || !strings.Contains(r.Stdout, "85.8") {
				t.Errorf("the accuracy is not that of the description:\n%s", r.Stdout)
			}
		})
	}
	harness.Run(t, "new", "device", t.TempDir()).WantCode(t, 2)
}
