package sdk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DatasetWorker is an optional interface of a Benchmark that works on data sets apart from runs: it does what its
// models list as DatasetActions.
type DatasetWorker interface {
	// WorkOnDataset does what r asks, which the sdk has checked: the model lists it, and each parameter has a value.
	// progress takes a line for the user, of how far the work is; it may be called from any goroutine until the call
	// returns. What was done is a text for the user. The work ends early where ctx does.
	WorkOnDataset(ctx context.Context, r DatasetRequest, progress func(line string)) (done string, err error)
}

// The actions that harness dataset asks for. Convert makes a data set of another one, Verify reads all of one as a run
// does, and Export writes the plugin's own.
const (
	Convert = "convert"
	Verify  = "verify"
	Export  = "export"
)

// DatasetAction is work on a data set that is no run. Action and Name together occur once in a model.
type DatasetAction struct {
	Action  string // what kind of work: Convert, Verify, Export
	Name    string // which of that kind: "repack"; empty where a model has one alone
	Summary string // one line
	Input   string // what DatasetRequest.Input has to be; empty: the work reads none
	Output  string // what DatasetRequest.Output holds then; empty: the work writes none
	Params  []ParamInfo
}

// String is the action as a user names it: "convert repack".
func (a DatasetAction) String() string { return strings.TrimSpace(a.Action + " " + a.Name) }

// DatasetRequest asks for a DatasetAction.
type DatasetRequest struct {
	Model, Action, Name string
	Input               string // an absolute path, of a file or a folder
	// Output is the absolute path of an empty folder. It gets the name that the user wants when the work has ended well,
	// and is removed where it has not: no file should name it.
	Output string
	Params map[string]string // the action's own
}

// Complete checks r against what the model lists, and gives each parameter that it lacks its default. Every error is
// ErrUsage and names all faults.
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
	faults := []error{wantPath("input", r.Input, a.Input), wantPath("output", r.Output, a.Output)}
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
	return orNone(names)
}

func paramNames(params []ParamInfo) string {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	return orNone(names)
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// wantPath wants a path where the action says what lies there, and none where it does not.
func wantPath(which, path, meaning string) error {
	switch {
	case meaning != "" && path == "":
		return fmt.Errorf("no %s: want %s", which, meaning)
	case meaning == "" && path != "":
		return fmt.Errorf("the %s %s: this work has none", which, path)
	}
	return nil
}
