package manifest

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
)

// DatasetExport writes sets of generated samples in the official layout. One of them is the benchmark's embedded data
// set.
type DatasetExport struct {
	// Sets contains the names of the sets. The first one is the embedded set.
	Sets []string
	// Write writes n samples of a set, starting at first, or all following samples if n is negative. It writes to an
	// existing folder, or to a new file if File is set.
	Write func(ctx context.Context, out, set string, first, n int) error
	// File is the name of the file in the requested folder; empty: the folder itself is the data set.
	File string
}

// The parameters of the actions that every benchmark has.
const (
	countParam = "count"
	setParam   = "set"
	firstParam = "first"
	numParam   = "n"
)

// ownActions returns the actions that need no code of the author: verify a data set, and export the embedded one.
func (e *ModelEntry) ownActions(i Implementation) []sdk.DatasetAction {
	verify := sdk.DatasetAction{
		Action: sdk.Verify, Summary: "reads every sample as a run does, and says what is missing",
		Input: "a data set of the model, as --dataset takes it",
		Params: []sdk.ParamInfo{{Name: countParam, Help: "only the first N samples, as --count of run has it (default: " +
			"all, which must be as many as an official set of the model has)"}},
	}
	for _, p := range e.Params {
		verify.Params = append(verify.Params, sdk.ParamInfo{Name: p.Name, Help: p.Help}) // empty means the same as in a run
	}
	export := i.exportOf(e)
	if export.Write == nil {
		return []sdk.DatasetAction{verify}
	}
	return []sdk.DatasetAction{verify, {
		Action: sdk.Export, Summary: "writes the plugin's own data set in the official layout",
		Output: "the data set, as --dataset takes it",
		Params: []sdk.ParamInfo{
			{Name: setParam, Default: export.Sets[0], Help: "which set: " + strings.Join(export.Sets, ", ")},
			{Name: firstParam, Default: "0", Help: "the first sample"},
			{Name: numParam, Help: "how many samples (default: all)"},
		},
	}}
}

// exportOf returns the export of a model.
func (i Implementation) exportOf(e *ModelEntry) DatasetExport {
	if e.Embedded != nil {
		return i.Exports[e.Name]
	}
	return i.Export
}

// exportSet writes a set in the official layout.
func exportSet(ctx context.Context, x DatasetExport, r sdk.DatasetRequest) (done string, err error) {
	first, err := wholeNumber(firstParam, r.Params[firstParam], 0)
	if err != nil {
		return "", err
	}
	n, err := wholeNumber(numParam, r.Params[numParam], -1)
	if err != nil {
		return "", err
	}
	set := r.Params[setParam]
	if err := x.Write(ctx, filepath.Join(r.Output, x.File), set, first, n); err != nil {
		return "", sdk.Usage(err)
	}
	text := "the set " + set + " is written"
	if x.File != "" {
		text += " to " + x.File
	}
	return text, nil
}

// wholeNumber parses a parameter that is 0 or more. An empty text means otherwise.
func wholeNumber(name, text string, otherwise int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, sdk.Usage(fmt.Errorf("parameter %s: %q, want a whole number from 0 on", name, text))
	}
	return n, nil
}
