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
		fmt.Printf("%s %s: %v\n", model, parts[0].Precision, found)
		measured[model] = found
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

// modelsOf are the models in the plugin's manifest that have their embedded files in a folder.
func modelsOf(dir string) ([]string, error) {
	plugin, folder := filepath.Dir(dir), modelFolder
	if filepath.Base(dir) != modelFolder {
		plugin, folder = filepath.Dir(plugin), modelFolder+"/"+filepath.Base(dir)
	}
	data, err := os.ReadFile(filepath.Join(plugin, "manifest.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct {
		Models []struct {
			Name     string
			Embedded struct{ Folder string }
		}
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range manifest.Models {
		if cmp.Or(m.Embedded.Folder, modelFolder) == folder {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

// accuracy runs a model and returns its metrics, none of a model that the rules do not run Offline. That they are below
// their target is no fault here.
func accuracy(ctx context.Context, harness, model, precision string) (map[string]float64, error) {
	out, err := os.MkdirTemp("", "cards-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	args := []string{"run", model, "--precision", precision, "--mode", "accuracy", "--scenario", "Offline",
		"--out", out, "--force"}
	text, err := exec.CommandContext(ctx, harness, args...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == usage {
		return nil, nil
	}
	if err != nil && (exit == nil || exit.ExitCode() != belowTarget) {
		return nil, fmt.Errorf("%s %v: %w\n%s", harness, args, err, text)
	}
	return readMetrics(filepath.Join(out, "result.json"))
}

// The harness's exit codes for a scenario that a model has not, and for an accuracy below its target.
const (
	usage       = 2
	belowTarget = 4
)

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
