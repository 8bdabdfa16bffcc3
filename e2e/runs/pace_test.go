package runs

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// smokeRun is a model, and those of its scenarios whose duration depends only on its answers.
type smokeRun struct {
	model     string
	scenarios []string
}

// quickModels are a classifier, with three scenarios, and a generating model.
var quickModels = []string{"resnet50", "llama3.1-8b-edge"}

// smokeRuns returns the smoke runs of all plugins. Models with the same settings count once.
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
		seen := []string{"Server"} // its schedule takes the same time on every machine, and its latencies have a limit
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

// TestSmokeRunsOnAQuickMachine runs benchmarks on a backend that answers at once: no run is INVALID for that reason.
// All but quickModels run only in make test-all: sdktest.CheckDescription tests such a backend, and a slow one, with
// the settings of every model and scenario, on virtual time.
func TestSmokeRunsOnAQuickMachine(t *testing.T) {
	t.Parallel()
	for _, run := range smokeRuns(t) {
		t.Run(run.model, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(quickModels, run.model) {
				slow.Skip(t)
			}
			harness.Run(t, "run", run.model, "--smoke", "--mode", "performance", "--scenario", strings.Join(run.scenarios, ","),
				"--count", "4", "--backend", "process", "--backend-opt", "command="+filepath.Join(built.Dir(), "plugins",
					"ortprocess")+" -pace once", "--out", t.TempDir(), "--quiet").WantCode(t, 0)
		})
	}
}

// pacedRun is the part of result.json about a run's rate.
type pacedRun struct {
	Scenario  string
	Settings  []pacedSetting
	Effective *struct {
		TargetQPS float64 `json:"target_qps"`
	} `json:"effective_settings"`
	Notes []struct{ About, Text string }
}

type pacedSetting struct{ Key, Value, Origin string }

// TestServerFollowsSingleStream: after SingleStream, a smoke run of Server gets a rate that SingleStream's latency
// allows; alone it gets the model's own. A rate that misses the limit by itself is reported before the run.
func TestServerFollowsSingleStream(t *testing.T) {
	t.Parallel()
	smoke := func(takes, scenarios string, more ...string) (harness.Result, map[string]pacedRun) {
		out := t.TempDir()
		cmd := harness.Command(t, built.Harness(), append([]string{"run", "honest", "--plugin-dir", built.Cheater(), "--mode",
			"performance", "--scenario", scenarios, "--out", out}, more...)...)
		cmd.Env = append(os.Environ(), "PLUMBLINE_CHEATER_TAKES="+takes)
		r := harness.Finish(t, cmd)
		runs := map[string]pacedRun{}
		var d struct{ Runs []pacedRun }
		testfile.ReadJSON(t, filepath.Join(out, "result.json"), &d)
		for _, run := range d.Runs {
			runs[run.Scenario] = run
		}
		return r, runs
	}
	rate := func(r pacedRun) pacedSetting {
		at := slices.IndexFunc(r.Settings, func(s pacedSetting) bool { return s.Key == "target_qps" })
		return r.Settings[at]
	}
	about := func(r pacedRun, what string) string {
		at := slices.IndexFunc(r.Notes, func(n struct{ About, Text string }) bool { return n.About == what })
		if at < 0 {
			return ""
		}
		return r.Notes[at].Text
	}
	patient := []string{"--set", "Server.target_latency=600000"}
	r, runs := smoke("1ms", "SingleStream,Server", patient...)
	harness.EitherWay(t, r) // few queries for early stopping
	got, text := rate(runs["Server"]), about(runs["Server"], "rate")
	if qps, err := strconv.ParseFloat(got.Value, 64); err != nil || qps >= 500.5 || runs["Server"].Effective == nil ||
		runs["Server"].Effective.TargetQPS != qps {
		t.Errorf("target_qps %+v, want at most half of 1000", got)
	}
	if !strings.HasPrefix(got.Origin, "SingleStream of the same command: ") || !strings.Contains(text, got.Value) {
		t.Errorf("%+v, note %q", got, text)
	}
	harness.WantParts(t, r.Stderr, text)
	harness.WantParts(t, r.Stdout, text)

	_, runs = smoke("1ms", "Server", patient...)
	if got := rate(runs["Server"]); got.Value != "1000" || got.Origin != "smoke settings of honest" {
		t.Errorf("alone: %+v, want the model's own", got)
	}
	r, runs = smoke("16ms", "Server")
	text = about(runs["Server"], "limit")
	r.WantCode(t, 3)
	if !strings.HasPrefix(text, "Server can hardly be VALID on this machine: its limit for an answer is 15 ms") {
		t.Errorf("note %q", text)
	}
	harness.WantParts(t, r.Stderr, text)
}
