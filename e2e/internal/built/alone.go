package built

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A harness asks all plugins beside it what they serve, which takes ten times as long as what most tests are about. So
// each plugin has a folder alone/NAME with itself, ONNX Runtime's library and a harness, and alone/none has a harness
// for plugins of tests; models.json says which plugin serves a model.

// For returns the harness for a command's arguments: one beside the only plugin that serves the model among them, or
// beside none for runs of a model in the test's own folder of plugins. If they name no model, models of several
// plugins, or plugins, it is the harness beside all plugins.
func For(args []string) string {
	plugin, folder := "", false
	for _, a := range args {
		if a == "--plugin" || strings.HasPrefix(a, "--plugin=") {
			return Harness()
		}
		folder = folder || strings.HasPrefix(a, "--plugin-dir")
		of := place.models[a]
		if of != "" && plugin != "" && of != plugin {
			return Harness()
		}
		if of != "" {
			plugin = of
		}
	}
	switch {
	case folder && plugin == "" && slices.Contains(runCommands, args[0]):
		plugin = noPlugin
	case folder || plugin == "":
		return Harness()
	}
	return filepath.Join(place.dir, "alone", plugin, "harness")
}

// runCommands are commands that run models.
var runCommands = []string{"run", "audit", "score", "submission", "verify"}

// noPlugin is the folder of the harness without plugins.
const noPlugin = "none"

// Alone returns the folder of a harness, and of plugins/ with only the one that serves a model.
func Alone(model string) string { return filepath.Dir(For([]string{model})) }

// addAlone makes the folders of the plugins, and models.json.
func addAlone(fresh string) error {
	plugins, err := filepath.Glob(filepath.Join(fresh, "plugins", "plumbline-plugin-*"))
	if err != nil {
		return err
	}
	if err := furnish(fresh, filepath.Join(fresh, "alone", noPlugin)); err != nil {
		return err
	}
	models := map[string]string{}
	for _, path := range plugins {
		name := strings.TrimPrefix(filepath.Base(path), "plumbline-plugin-")
		dir := filepath.Join(fresh, "alone", name)
		if err := furnish(fresh, dir, filepath.Base(path)); err != nil {
			return err
		}
		out, err := exec.Command(filepath.Join(dir, "harness"), "list").Output()
		if err != nil {
			return fmt.Errorf("harness list, of plugin %s alone: %w", name, err)
		}
		_, rows, _ := bytes.Cut(out, []byte("\n")) // below the column headings
		for row := range strings.Lines(string(rows)) {
			if fields := strings.Fields(row); len(fields) > 0 && !strings.HasPrefix(row, " ") {
				models[fields[0]] = name
			}
		}
	}
	text, err := json.Marshal(models)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(fresh, "models.json"), text, 0o644)
}

// furnish links a harness, the library and plugins into a folder.
func furnish(fresh, dir string, plugins ...string) error {
	harnesses, err := filepath.Glob(filepath.Join(fresh, "*harness*")) // the official one's, too
	if err != nil {
		return err
	}
	official, err := filepath.Glob(filepath.Join(fresh, "*.so"))
	if err != nil {
		return err
	}
	libraries, err := filepath.Glob(filepath.Join(fresh, "plugins", "libonnxruntime*"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "plugins"), 0o755); err != nil {
		return err
	}
	for _, path := range append(harnesses, official...) {
		if err := os.Link(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			return err
		}
	}
	for _, plugin := range plugins {
		libraries = append(libraries, filepath.Join(fresh, "plugins", plugin))
	}
	for _, path := range libraries {
		if err := os.Link(path, filepath.Join(dir, "plugins", filepath.Base(path))); err != nil {
			return err
		}
	}
	return nil
}

// readModels reads which plugin serves each model.
func readModels(dir string) (models map[string]string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "models.json"))
	if err != nil {
		return nil, err
	}
	return models, json.Unmarshal(text, &models)
}
