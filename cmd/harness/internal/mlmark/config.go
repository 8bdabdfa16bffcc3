package mlmark

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

const maxBytes = 1 << 20

// IsConfigFile reports whether an argument that may be a model is a configuration file.
func IsConfigFile(argument string) bool { return strings.EqualFold(filepath.Ext(argument), ".json") }

// taskEntry is a task in a configuration.
type taskEntry struct {
	Target   *string                    `json:"target"`
	Workload *string                    `json:"workload"`
	Params   map[string]json.RawMessage `json:"params"`
}

// ReadConfig reads the tasks of a configuration, a JSON array of {"target", "workload", "params"}. Unlike the original,
// it rejects unknown and missing fields.
func ReadConfig(path string) ([]Task, error) {
	text, err := backend.ReadFile(path, maxBytes)
	if err != nil {
		return nil, err
	}
	tasks, err := ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tasks, nil
}

// ParseConfig parses the text of a configuration.
func ParseConfig(text []byte) ([]Task, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var entries []taskEntry
	if err := d.Decode(&entries); err != nil {
		return nil, fmt.Errorf("not an MLMark configuration (a JSON array of tasks with target, workload and params): %w",
			err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the array of tasks")
	}
	if len(entries) == 0 {
		return nil, errors.New("no task is in it")
	}
	var tasks []Task
	var faults []error
	for i, e := range entries {
		t, err := e.toTask()
		if err != nil {
			faults = append(faults, fmt.Errorf("task %d: %w", i+1, err))
		}
		tasks = append(tasks, t)
	}
	return tasks, errors.Join(faults...)
}

func (e taskEntry) toTask() (Task, error) {
	if e.Target == nil || e.Workload == nil || e.Params == nil || *e.Target == "" {
		return Task{}, errors.New("target, workload and params are all needed")
	}
	model, err := WorkloadModel(*e.Workload)
	faults := []error{err}
	mode := string(Throughput)
	var params []TaskParam
	for _, name := range slices.Sorted(maps.Keys(e.Params)) {
		value, err := textParam(name, e.Params[name])
		switch {
		case err != nil:
			faults = append(faults, err)
		case name == "mode":
			mode = value
		default:
			params = append(params, TaskParam{name, value})
		}
	}
	t, err := NewTask(model, mode, params)
	t.Target = *e.Target
	if _, given := e.Params["mode"]; !given {
		t.Notes = append(t.Notes, "no mode is given: throughput")
	}
	return t, errors.Join(append(faults, err)...)
}

// textParam converts a parameter's value to text. It requires the JSON type that MLMark requires.
func textParam(name string, raw json.RawMessage) (string, error) {
	if slices.Contains([]string{"batch", "concurrency", "iterations"}, name) {
		var n json.Number
		if len(raw) > 0 && raw[0] != '"' && json.Unmarshal(raw, &n) == nil {
			return n.String(), nil
		}
		return "", fmt.Errorf("%s: %s: want a number", name, raw)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return string(raw), nil // NewTask reports the wrong name or value
	}
	return s, nil
}
