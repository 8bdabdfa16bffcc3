package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// measure runs accuracy of the models that a folder's embedded one stands in for, until all metrics of its parts are
// known: each model has those of its own benchmark.
func measure(ctx context.Context, harness, dir string, parts []*file) error {
	models, err := modelsOf(dir)
	if err != nil {
		return err
	}
	measured := figures{}
	for _, model := range models {
		found, err := accuracy(ctx, harness, model, parts[0].Precision)
		if err != nil {
			return err
		}
		for _, m := range parts[0].Audits[model.Name] {
			if found[m.Name], err = audit(ctx, harness, model.Name, parts[0].Precision, m.Name); err != nil {
				return err
			}
		}
		fmt.Printf("%s %s: %v\n", model.Name, parts[0].Precision, found)
		measured[model.Name] = found
		if takeAll(parts, measured) == nil {
			return nil
		}
	}
	return takeAll(parts, measured)
}

// takeAll gives each part the metrics of the model that it belongs to.
func takeAll(parts []*file, measured figures) error {
	var faults []error
	for _, f := range parts {
		if err := f.take(measured); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", f.Name, err))
		}
	}
	return errors.Join(faults...)
}

// model is one of a manifest.
type model struct {
	Name      string
	Scenarios []string
	Embedded  struct{ Folder string }
}

// scenario is that of a run of accuracy: Offline, or SingleStream of a model that has no other.
func (m model) scenario() string {
	if slices.Equal(m.Scenarios, []string{"SingleStream"}) {
		return m.Scenarios[0]
	}
	return "Offline"
}

// modelsOf are the models in the plugin's manifest that have their embedded files in a folder.
func modelsOf(dir string) ([]model, error) {
	plugin, folder := filepath.Dir(dir), modelFolder
	if filepath.Base(dir) != modelFolder {
		plugin, folder = filepath.Dir(plugin), modelFolder+"/"+filepath.Base(dir)
	}
	data, err := os.ReadFile(filepath.Join(plugin, "manifest.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct{ Models []model }
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, err
	}
	return lists.Filter(manifest.Models, func(m model) bool {
		return cmp.Or(m.Embedded.Folder, modelFolder) == folder
	}), nil
}

// accuracy runs a model and returns its metrics, none of a model that the rules do not run so. That they are below
// their target is no fault here.
func accuracy(ctx context.Context, harness string, m model, precision string) (map[string]float64, error) {
	out, err := os.MkdirTemp("", "cards-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	code, err := harnessed(ctx, harness, "run", m.Name, "--precision", precision, "--mode", "accuracy", "--scenario",
		m.scenario(), "--out", out, "--force")
	if err != nil || code == usage {
		return nil, err
	}
	return readMetrics(filepath.Join(out, "result.json"))
}

// audit runs a compliance test of a model on the plugin's own questions and returns the figure that it judges. That the
// card's old one is another is no fault here.
func audit(ctx context.Context, harness, model, precision, test string) (float64, error) {
	out, err := os.MkdirTemp("", "cards-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(out)
	if _, err := harnessed(ctx, harness, "audit", test, model, "--precision", precision, "--scenario", "Offline",
		"--out", out, "--force"); err != nil {
		return 0, err
	}
	paths, err := filepath.Glob(filepath.Join(out, model, "Offline", test, "verify_*.txt"))
	if err != nil || len(paths) != 1 {
		return 0, fmt.Errorf("%s of %s has %d verdicts, want one; %w", test, model, len(paths), err)
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		return 0, err
	}
	return judged(string(text))
}

// judged is the figure of a verdict.
func judged(text string) (float64, error) {
	found := judgedLine.FindStringSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("no figure in the verdict\n%s", text)
	}
	return strconv.ParseFloat(found[1], 64)
}

// judgedLine is that of TEST07, or that of TEST09.
var judgedLine = regexp.MustCompile(`(?m)^(?:Accuracy score|Mean output tokens): ([0-9.]+)$`)

// The harness's exit codes for a scenario that a model has not, a test that fails, and an accuracy below its target.
const (
	usage       = 2
	failed      = 3
	belowTarget = 4
)

// harnessed runs the harness to an end that says what it measured, or that the model has not what was asked for, and
// returns its exit code.
func harnessed(ctx context.Context, harness string, args ...string) (int, error) {
	text, err := exec.CommandContext(ctx, harness, args...).CombinedOutput()
	var exit *exec.ExitError
	code := 0
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	if err != nil && code != usage && code != failed && code != belowTarget {
		return 0, fmt.Errorf("%s %v: %w\n%s", harness, args, err, text)
	}
	return code, nil
}

func readMetrics(path string) (map[string]float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Runs []struct {
			Accuracy *struct{ Metrics []metric }
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(doc.Runs) != 1 || doc.Runs[0].Accuracy == nil {
		return nil, fmt.Errorf("%s: want one accuracy run", path)
	}
	found := map[string]float64{}
	for _, m := range doc.Runs[0].Accuracy.Metrics {
		found[m.Name] = m.Value
	}
	return found, nil
}
