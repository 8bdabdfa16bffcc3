package tree

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// ErrNoSubmission reports a folder without submitters, or without the requested one.
var ErrNoSubmission = errors.New("no submission")

// ChooseSubmitters returns the submitters' folders with a name, one per division. An empty name selects all submitters.
// If there is none, the error wraps ErrNoSubmission.
func (t *Tree) ChooseSubmitters(submitter string) (all []Submitter, err error) {
	var names []string
	for _, s := range t.Submitters {
		names = append(names, s.Submitter)
		if cmp.Or(submitter, s.Submitter) == s.Submitter {
			all = append(all, s)
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%w in %s: want closed, network or open there, with a folder for each submitter%s",
			ErrNoSubmission, t.Root(), t.misspelledDivisions())
	case len(all) == 0:
		return nil, fmt.Errorf("%w in %s of that name: %w", ErrNoSubmission, t.Root(),
			suggest.Unknown("submitter", submitter, slices.Compact(names)))
	}
	return all, nil
}

// misspelledDivisions names folders whose names are misspelled divisions.
func (t *Tree) misspelledDivisions() string {
	for _, e := range t.Folders(".") {
		if lower := strings.ToLower(e.Name); lower != e.Name && slices.Contains(Divisions(), lower) {
			return fmt.Sprintf("; %s must be called %s", e.Name, lower)
		}
	}
	return ""
}
