package prepare

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// inferScenarios copies results to missing scenarios. It uses their names in lower case.
func (t *preparation) inferScenarios(p tree.Place, scenarios []string) error {
	folders, err := t.listFolders(p.Results())
	if err != nil {
		return err
	}
	for _, p.Scenario = range folders {
		for _, to := range t.inferablePlaces(p, scenarios) {
			source := strings.ToLower(p.Scenario)
			t.AddLine(python.LevelInfo, "Division %s, submitter %s, system %s, model %s: inferring %s results from %s",
				p.Division,
				p.Submitter, p.System, p.Benchmark, to.Scenario, source)
			if err := treefiles.CopyFolder(context.Background(), t.pathTo(p.Results()), t.pathTo(to.Results())); err != nil {
				return err
			}
		}
	}
	return nil
}

// inferablePlaces returns the places to which a scenario's folder is copied.
func (t *preparation) inferablePlaces(p tree.Place, scenarios []string) (to []tree.Place) {
	offline, multi := p, p
	offline.Scenario, multi.Scenario = "offline", "multistream"
	noOffline, noMulti := !t.exists(offline.Results()), !t.exists(multi.Results())
	switch strings.ToLower(p.Scenario) {
	case "singlestream":
		if noOffline && noMulti && t.NoScenarios {
			return nil
		}
		if noOffline && noMulti && slices.Contains(scenarios, "Offline") {
			to = append(to, offline)
		}
		if noMulti && slices.Contains(scenarios, "MultiStream") {
			to = append(to, multi)
		}
	case "multistream":
		if noOffline {
			to = append(to, offline)
		}
	}
	return to
}

// copyLowAccuracies copies results with a high accuracy to the low-accuracy benchmark, for models of the last system's
// type.
func (t *preparation) copyLowAccuracies(p tree.Place) error {
	systems, err := t.listFolders(p.Results())
	if err != nil {
		return err
	}
	for _, p.System = range systems {
		p.Benchmark = ""
		benchmarks, err := t.listFolders(p.Results())
		if err != nil {
			return err
		}
		for _, p.Benchmark = range benchmarks {
			if err := t.copyLowAccuracy(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *preparation) copyLowAccuracy(high tree.Place) error {
	if !strings.HasSuffix(high.Benchmark, "-99.9") {
		return nil
	}
	low := high
	low.Benchmark = strings.TrimSuffix(high.Benchmark, ".9")
	if t.kind == "" {
		return errors.New("TypeError: no system has a type")
	}
	if len(t.rules.requiredScenarios(low.Benchmark, t.kind)) == 0 {
		return nil
	}
	if !t.exists(low.Results()) {
		t.AddLine(python.LevelInfo, "Division %s, submitter %s, system %s: copying %s results to %s", high.Division,
			high.Submitter, high.System, high.Benchmark, low.Benchmark)
		if err := treefiles.CopyFolder(context.Background(), t.pathTo(high.Results()), t.pathTo(low.Results())); err != nil {
			return err
		}
	}
	if t.exists(programsFolder(low)) {
		return nil
	}
	return treefiles.CopyFolder(context.Background(), t.pathTo(programsFolder(high)), t.pathTo(programsFolder(low)))
}

// programsFolder returns the folder of a benchmark's programs.
func programsFolder(p tree.Place) string { return path.Join(p.Folder(), "src", p.Benchmark) }
