package prepare

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// oldVerdict is the old checker's verdict on a scenario's folder.
type oldVerdict struct{ accuracy, performance, compliance bool }

func (v oldVerdict) isValid() bool { return v.accuracy && v.performance && v.compliance }

// cleanBenchmark judges the scenarios of a benchmark and disposes of the invalid ones.
func (t *preparation) cleanBenchmark(s officialSystem, model string) error {
	scenarios, err := t.listFolders(s.place.Results())
	if err != nil {
		return err
	}
	for _, scenario := range scenarios {
		p := s.place
		p.Scenario = scenario
		if !t.exists(p.Results()) { // removed with another scenario
			continue
		}
		v, err := t.judgeScenario(s, p, model)
		if err != nil {
			return err
		}
		if v.isValid() {
			continue
		}
		if err := t.disposeOf(s, p, v); err != nil {
			return err
		}
	}
	return nil
}

// judge judges a scenario with the old checker. An error means that the tool dies.
func (t *preparation) judgeScenario(s officialSystem, p tree.Place, model string) (v oldVerdict, err error) {
	scenario, _ := tree.CanonicalScenario(p.Scenario)
	v.accuracy, err = s.judge.judgeAccuracy(model, t.pathTo(p.Accuracy()))
	v.accuracy = err == nil && v.accuracy || p.Division == tree.DivisionOpen
	v.performance, err = s.judge.judgePerformance(model, scenario, t.pathTo(p.Run()))
	if err != nil || !v.performance {
		v.performance = false
		return v, nil //nolint:nilerr // a log that stops the checker is invalid
	}
	if t.exists(p.Power()) && !s.judge.judgePower(t.pathTo(p.Power()), t.pathTo(p.Ranging()), t.pathTo(p.Run())) {
		if err := t.removePower(p); err != nil {
			return v, err
		}
	}
	if v.compliance = p.Division == tree.DivisionOpen; v.compliance {
		return v, nil
	}
	v.compliance, err = s.judge.judgeCompliance(model, scenario, t.pathTo(p.Results()))
	return v, err
}

func (t *preparation) removePower(p tree.Place) error {
	t.AddLine(python.LevelWarning, "Power result is invalid for %s: %s %s scenario in %s division. Removing...", p.System,
		p.Benchmark, p.Scenario, p.Division)
	return errors.Join(os.RemoveAll(t.pathTo(p.Power())), os.RemoveAll(t.pathTo(p.Ranging())),
		os.RemoveAll(filepath.Join(t.pathTo(p.Run()), tree.PowerSamples)))
}

// dispose removes an invalid result or moves it to the open division.
func (t *preparation) disposeOf(s officialSystem, p tree.Place, v oldVerdict) error {
	say := func(where, end string) {
		t.AddLine(python.LevelWarning, "%s scenario result is invalid for %s: %s in %s. Accuracy: %s, Performance: %s%s",
			p.Scenario, p.System, p.Benchmark, where, pythonText(v.accuracy), pythonText(v.performance), end)
	}
	division := p.Division + " division"
	inferable := slices.Contains([]string{"Offline", "MultiStream"}, p.Scenario) && (!v.accuracy || !v.performance)
	benchmark := s.place
	switch {
	case inferable || p.Division == tree.DivisionOpen:
		say(division, ". Removing...")
		return os.RemoveAll(t.pathTo(p.Results()))
	case t.NoMoveToOpen:
		say(division, ". Removing all dependent scenario results...")
		return t.removeBenchmark(benchmark)
	case !v.performance:
		say(p.Division+" and open divisions", ". Removing it...")
		if err := os.RemoveAll(t.pathTo(p.Results())); err != nil {
			return err
		}
	}
	if err := t.moveToOpen(s); err != nil {
		return err
	}
	moved := p.Benchmark + " results"
	if !v.performance {
		moved = "other scenario results of " + p.Benchmark
	}
	say(division, fmt.Sprintf(". Compliance: %s. Moving %s to open...", pythonText(v.compliance), moved))
	return t.removeBenchmark(benchmark)
}

// moveToOpen copies a benchmark, its programs and its system to the open division, unless they exist there.
func (t *preparation) moveToOpen(s officialSystem) error {
	from, to := s.place, s.place
	to.Division = tree.DivisionOpen
	for _, folder := range [][2]string{{from.Results(), to.Results()}, {programsFolder(from), programsFolder(to)}} {
		if t.exists(folder[1]) {
			continue
		}
		if err := treefiles.CopyFolder(context.Background(), t.pathTo(folder[0]), t.pathTo(folder[1])); err != nil {
			return err
		}
	}
	if t.exists(to.SystemFile()) {
		return nil
	}
	text, err := openDescription(s.text)
	if err != nil {
		return err
	}
	path := t.pathTo(to.SystemFile())
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// readObject reads a JSON file that contains an object.
func readObject(path string) (text []byte, fields map[string]any, err error) {
	if text, err = os.ReadFile(path); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, fields, nil
}

// openDescription returns the description of a system changed to the open division, in the format of Python with an
// indent of two.
func openDescription(system []byte) ([]byte, error) {
	v, err := pyvalue.Decode(string(system))
	fields, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, cmp.Or(err, errors.New("a system's description is no JSON object"))
	}
	fields.Set("division", tree.DivisionOpen)
	var out bytes.Buffer
	err = json.Indent(&out, []byte(pyvalue.JSON(fields)), "", "  ")
	return out.Bytes(), err
}
