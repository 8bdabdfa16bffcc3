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
)

// measureParts runs accuracy runs of the models that use a folder's embedded file, until all metrics of its parts are
// known. Each model yields the metrics of its own benchmark.
func measureParts(ctx context.Context, harness, dir string, parts []*modelFile) error {
	models, err := findModels(dir)
	if err != nil {
		return err
	}
	measured := modelFigures{}
	for _, model := range models {
		found, err := measureAccuracy(ctx, harness, model, parts[0].Precision)
		if err != nil {
			return err
		}
		for _, m := range parts[0].Audits[model.Name] {
			if found[m.Name], err = measureAudit(ctx, harness, model.Name, parts[0].Precision, m.Name); err != nil {
				return err
			}
		}
		fmt.Printf("%s %s: %v\n", model.Name, parts[0].Precision, found)
		measured[model.Name] = found
		if updateParts(parts, measured) == nil {
			return nil
		}
	}
	return updateParts(parts, measured)
}

// updateParts sets the metrics of each part from those of its model.
func updateParts(parts []*modelFile, measured modelFigures) error {
	var faults []error
	for _, f := range parts {
		if err := f.update(measured); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", f.Name, err))
		}
	}
	return errors.Join(faults...)
}

// servedModel is a model in a plugin's description.
type servedModel struct {
	Name      string
	Scenarios []string
	Embedded  struct{ Folder string }
}

// accuracyScenario returns the scenario of an accuracy run: Offline, or SingleStream for a model without Offline.
func (m servedModel) accuracyScenario() string {
	if slices.Equal(m.Scenarios, []string{"SingleStream"}) {
		return m.Scenarios[0]
	}
	return "Offline"
}

// findModels returns the models in the plugin's manifest with embedded files in a folder.
func findModels(dir string) ([]servedModel, error) {
	plugin, folder := filepath.Dir(dir), modelFolder
	if filepath.Base(dir) != modelFolder {
		plugin, folder = filepath.Dir(plugin), modelFolder+"/"+filepath.Base(dir)
	}
	data, err := os.ReadFile(filepath.Join(plugin, "manifest.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct{ Models []servedModel }
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, err
	}
	var chosen []servedModel
	for _, m := range manifest.Models {
		if cmp.Or(m.Embedded.Folder, modelFolder) == folder {
			chosen = append(chosen, m)
		}
	}
	return chosen, nil
}

// measureAccuracy runs a model and returns its metrics; nil if the rules do not allow such a run. A missed target is
// not an error.
func measureAccuracy(ctx context.Context, harness string, m servedModel, precision string) (map[string]float64, error) {
	out, err := os.MkdirTemp("", "cards-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	code, err := runHarness(ctx, harness, "run", m.Name, "--precision", precision, "--mode", "accuracy", "--scenario",
		m.accuracyScenario(), "--out", out, "--force")
	if err != nil || code == usageCode {
		return nil, err
	}
	return readMetrics(filepath.Join(out, "result.json"))
}

// measureAudit runs a compliance test of a model with the plugin's own data and returns the judged figure. A difference
// from the card is not an error.
func measureAudit(ctx context.Context, harness, model, precision, test string) (float64, error) {
	out, err := os.MkdirTemp("", "cards-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(out)
	if _, err := runHarness(ctx, harness, "audit", test, model, "--precision", precision, "--scenario", "Offline",
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
	return parseVerdict(string(text))
}

// parseVerdict returns the figure in the text of a verdict.
func parseVerdict(text string) (float64, error) {
	found := judgedLine.FindStringSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("no figure in the verdict\n%s", text)
	}
	return strconv.ParseFloat(found[1], 64)
}

// judgedLine matches the line with the figure of TEST07 or TEST09.
var judgedLine = regexp.MustCompile(`(?m)^(?:Accuracy score|Mean output tokens): ([0-9.]+)$`)

// Exit codes of the harness: the model does not have the scenario, the test failed, the accuracy is below its target.
const (
	usageCode       = 2
	failedCode      = 3
	belowTargetCode = 4
)

// runHarness runs the harness and returns its exit code if the code means that it measured something or that the model
// does not support the run.
func runHarness(ctx context.Context, harness string, args ...string) (int, error) {
	text, err := exec.CommandContext(ctx, harness, args...).CombinedOutput()
	var exit *exec.ExitError
	code := 0
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	if err != nil && code != usageCode && code != failedCode && code != belowTargetCode {
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
			Accuracy *struct{ Metrics []cardMetric }
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
