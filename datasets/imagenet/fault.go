package imagenet

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("image data set")

// Fault is one fault of a data set.
type Fault struct {
	Line    int    // line in val_map.txt, from 1; 0: the whole file
	Name    string // the picture's name, if the line contains one
	Problem string // what was found and what was expected
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.Problem
	}
	return fmt.Sprintf("line %d: %.100q: %s", f.Line, f.Name, f.Problem)
}

// FaultError contains all faults of a data set, sorted by line.
type FaultError struct {
	Path   string // path of val_map.txt
	Faults []Fault
}

func newFaultError(path string, faults []Fault) *FaultError {
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return &FaultError{path, faults}
}

// shownFaults is the number of faults that an error's text lists.
const shownFaults = 20

// Error lists the first 20 faults, one per line, and the number of the others.
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
