package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// actionName matches valid names of actions on data sets.
var actionName = regexp.MustCompile(`^[a-zA-Z0-9-]+$`)

// actionFaults returns the faults in a model's descriptions of its data-set actions.
func actionFaults(m sdk.ModelInfo) (faults []error) {
	seen := map[string]bool{}
	for _, a := range m.DatasetActions {
		if !actionName.MatchString(a.Action) || a.Name != "" && !actionName.MatchString(a.Name) || a.Summary == "" ||
			seen[a.String()] {
			faults = append(faults, fmt.Errorf("model %s, work on data sets %q, summary %q: want letters, digits and - in "+
				"action and name, once, and a summary", m.Name, a, a.Summary))
		}
		seen[a.String()] = true
	}
	return faults
}

// datasetRefusals requests unknown data-set actions, and known ones on missing data. It returns an error for each
// request that was not refused correctly.
func (v *pluginVisit) datasetRefusals(ctx context.Context, p *host.Plugin, m sdk.ModelInfo) (faults []error) {
	if len(m.DatasetActions) == 0 {
		return nil
	}
	ask := func(what string, r sdk.DatasetRequest, class error, want string) {
		if _, err := p.Dataset(ctx, r, func(string) {}); !errors.Is(err, class) {
			//nolint:errorlint // it may be nil
			faults = append(faults, fmt.Errorf("%s: error %v, want one of class %s", what, err, want))
		}
	}
	ask("unknown work on data sets", sdk.DatasetRequest{Model: m.Name, Action: "no-such-work"}, sdk.ErrUsage,
		"sdk.ErrUsage (over the wire: INVALID_ARGUMENT)")
	for _, a := range m.DatasetActions {
		if a.Input == "" {
			continue
		}
		r := sdk.DatasetRequest{
			Model: m.Name, Action: a.Action, Name: a.Name, Input: filepath.Join(v.dir, "no such input"),
		}
		if a.Output != "" {
			out, err := os.MkdirTemp(v.dir, "output-")
			if err != nil {
				return append(faults, err)
			}
			r.Output = out
		}
		ask(a.String()+" of an input that is not there", r, sdk.ErrData,
			"sdk.ErrData (over the wire: FAILED_PRECONDITION)")
	}
	return faults
}
