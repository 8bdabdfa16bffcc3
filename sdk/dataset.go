package sdk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DatasetWorker is an optional interface of a Benchmark that works on data sets outside runs. It performs the
// DatasetActions that its models list.
type DatasetWorker interface {
	// WorkOnDataset performs the action of r. The sdk has checked r: the model lists the action, and each parameter has a
	// value. progress shows the user a line about the state of the work. Any goroutine may call it until WorkOnDataset
	// returns. done describes the completed work for the user. The work stops early when ctx ends.
	WorkOnDataset(ctx context.Context, r DatasetRequest, progress func(line string)) (done string, err error)
}

// The actions of harness dataset. Convert makes a data set from another one, Verify reads a whole data set in the way
// of a run, and Export writes the plugin's own data set.
const (
	Convert = "convert"
	Verify  = "verify"
	Export  = "export"
)

// DatasetAction is work on a data set outside a run. Action and Name together are unique in a model.
type DatasetAction struct {
	Action  string // type of the work: Convert, Verify, Export
	Name    string // distinguishes actions of the same type: "repack"; empty if the model has only one
	Summary string // one line
	Input   string // the required contents of DatasetRequest.Input; empty: no input
	Output  string // the contents of DatasetRequest.Output after the work; empty: no output
	Params  []ParamInfo
}

// String returns the action as a user types it: "convert repack".
func (a DatasetAction) String() string { return strings.TrimSpace(a.Action + " " + a.Name) }

// DatasetRequest is a request for a DatasetAction.
type DatasetRequest struct {
	Model, Action, Name string
	Input               string // an absolute path of a file or a folder
	// Output is the absolute path of an empty folder. After success the harness renames the folder to the user's choice.
	// After a failure it removes the folder. No file should contain this path.
	Output string
	Params map[string]string // parameters of the action
}

// Complete checks r against the model's list and sets missing parameters to their defaults. Every error wraps ErrUsage
// and lists all faults.
func (r DatasetRequest) Complete(m ModelInfo) (DatasetRequest, error) {
	i := slices.IndexFunc(m.DatasetActions, func(a DatasetAction) bool { return a.Action == r.Action && a.Name == r.Name })
	if i < 0 {
		asked := DatasetAction{Action: r.Action, Name: r.Name}
		return r, Usage(fmt.Errorf("unknown work on data sets %q, %s has %s", asked, m.Name, m.datasetActions()))
	}
	a := m.DatasetActions[i]
	params := make(map[string]string, len(a.Params))
	for _, p := range a.Params {
		params[p.Name] = p.Default
	}
	faults := []error{checkPath("input", r.Input, a.Input), checkPath("output", r.Output, a.Output)}
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		if _, ok := params[name]; !ok {
			faults = append(faults, fmt.Errorf("unknown parameter %q, %s has %s", name, a, paramNames(a.Params)))
		}
		params[name] = r.Params[name]
	}
	r.Params = params
	return r, Usage(errors.Join(faults...))
}

func (m ModelInfo) datasetActions() string {
	var names []string
	for _, a := range m.DatasetActions {
		names = append(names, a.String())
	}
	return namesOrNone(names)
}

func paramNames(params []ParamInfo) string {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	return namesOrNone(names)
}

func namesOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// checkPath requires a path if the action documents its contents, and otherwise an empty path.
func checkPath(which, path, meaning string) error {
	switch {
	case meaning != "" && path == "":
		return fmt.Errorf("no %s: want %s", which, meaning)
	case meaning == "" && path != "":
		return fmt.Errorf("the %s %s: this work has none", which, path)
	}
	return nil
}
