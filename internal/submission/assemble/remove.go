package assemble

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Remove removes runs from the workspace and returns them. It does not delete their files. Each name is part of a run's
// name: "Server", "resnet/Server", "closed/box/resnet", "resnet/Offline/TEST01". If a name matches no run, Remove
// removes nothing and returns an error.
func (w *Workspace) Remove(names []string) (removed []Result, err error) {
	var faults []error
	var wanted [][]string
	for _, name := range names {
		parts := strings.Split(strings.Trim(name, "/"), "/")
		if !slices.ContainsFunc(w.Results, func(r Result) bool { return r.matchesParts(parts) }) {
			faults = append(faults, fmt.Errorf("%q: no run is called so; there are\n  %s", name,
				strings.Join(w.runNames(), "\n  ")))
		}
		wanted = append(wanted, parts)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	var left []Result
	for _, r := range w.Results {
		if slices.ContainsFunc(wanted, r.matchesParts) {
			removed = append(removed, r)
		} else {
			left = append(left, r)
		}
	}
	w.Results = left
	return removed, w.saveFile()
}

// runNames returns the names of all runs.
func (w *Workspace) runNames() []string {
	texts := make([]string, len(w.Results))
	for i, r := range w.Results {
		texts[i] = r.String()
	}
	return texts
}

// matchesParts reports whether the run's name contains parts as a sequence.
func (r Result) matchesParts(parts []string) bool {
	all := r.nameParts()
	for i := 0; i+len(parts) <= len(all); i++ {
		if slices.Equal(all[i:i+len(parts)], parts) {
			return true
		}
	}
	return false
}
