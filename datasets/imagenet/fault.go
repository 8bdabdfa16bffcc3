package imagenet

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("image data set")

// Fault is one fault of a data set.
type Fault struct {
	Line    int    // of val_map.txt, from 1; 0: the file as a whole
	Name    string // the picture's name, as far as the line has one
	Problem string // what was found, and what was expected
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.Problem
	}
	return fmt.Sprintf("line %d: %.100q: %s", f.Line, f.Name, f.Problem)
}

// FaultError contains all faults of a data set, in the order of their lines.
type FaultError struct {
	Path   string // of val_map.txt
	Faults []Fault
}

func newFaultError(path string, faults []Fault) *FaultError {
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return &FaultError{path, faults}
}

// shownFaults is how many faults the text of an error spells out.
const shownFaults = 20

// Error spells out the first 20 faults, one per line, and counts the rest.
func (e *FaultError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s: %s, correct or remove these lines and files:", ErrDataset, e.Path,
		figure.Plural(len(e.Faults), "fault"))
	for _, f := range e.Faults[:min(len(e.Faults), shownFaults)] {
		fmt.Fprintf(&b, "\n  %v", f)
	}
	if more := len(e.Faults) - shownFaults; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// Unwrap returns ErrDataset.
func (e *FaultError) Unwrap() error { return ErrDataset }
