package runs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/testfile"
)

// smokeRun is a model, and those of its scenarios in which nothing but its answers says how long a run takes.
type smokeRun struct {
	model     string
	scenarios []string
}

// smokeRuns are the smoke runs of all plugins. Models with the same settings are one.
func smokeRuns(t *testing.T) []smokeRun {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(built.Root(), "plugins", "*", "manifest.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	var all []smokeRun
	for _, path := range paths {
		var manifest struct {
			Embedded struct{ Files []struct{ Note string } }
			Models   []struct {
				Name      string
				Scenarios []string
				Smoke     []any
			}
		}
		testfile.ReadJSON(t, path, &manifest)
		if f := manifest.Embedded.Files; len(f) > 0 && strings.HasPrefix(f[0].Note, "stand-in: ") {
			continue // there is no model that a backend could run
		}
		seen := []string{"Server"} // whose schedule is as long on every machine, and whose latencies have a limit
		for _, m := range manifest.Models {
			run := smokeRun{model: m.Name}
			for _, s := range m.Scenarios {
				if s != "Server" && (len(m.Smoke) > 0 || !slices.Contains(seen, s)) {
					run.scenarios = append(run.scenarios, s)
				}
			}
			if seen = append(seen, run.scenarios...); len(run.scenarios) > 0 {
				all = append(all, run)
			}
		}
	}
	return all
}

// TestSmokeRunsOnAQuickMachine runs every benchmark on a backend that answers at once: no run is INVALID for that.
// sdktest.CheckDescription tries slow ones, on virtual time.
func TestSmokeRunsOnAQuickMachine(t *testing.T) {
	t.Parallel()
	for _, run := range smokeRuns(t) {
		t.Run(run.model, func(t *testing.T) {
			t.Parallel()
			harness.Run(t, "run", run.model, "--smoke", "--mode", "performance", "--scenario", strings.Join(run.scenarios, ","),
				"--count", "4", "--backend", "process", "--backend-opt", "command="+filepath.Join(built.Dir(), "plugins",
					"ortprocess")+" -pace once", "--out", t.TempDir(), "--quiet").WantCode(t, 0)
		})
	}
}
