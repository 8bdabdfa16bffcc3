// Package fault collects the faults of a data set, so that one error can list them all.
package fault

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// Fault is one fault of a data set.
type Fault struct {
	Where   string // position and name of the record in the file; "": the whole file
	Problem string // what was found and what was expected
}

func (f Fault) String() string {
	if f.Where == "" {
		return f.Problem
	}
	return f.Where + ": " + f.Problem
}

// DatasetError contains all faults of a data set.
type DatasetError struct {
	Kind    error  // sentinel of the package that reads the data set
	Path    string // path of the invalid file or folder
	Faults  []Fault
	Omitted int // number of faults beyond the first 10,000, which are not stored
}

const (
	maxShownFaults  = 20     // number of faults that an error's text lists
	maxStoredFaults = 10_000 // number of faults that an error stores; a file may have billions of invalid records
)

// Error lists the first 20 faults, one per line, and the number of the others.
func (e *DatasetError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s: %s:", e.Kind, e.Path, figure.Plural(len(e.Faults)+e.Omitted, "fault"))
	for _, f := range e.Faults[:min(len(e.Faults), maxShownFaults)] {
		fmt.Fprintf(&b, "\n  %v", f)
	}
	if more := len(e.Faults) + e.Omitted - maxShownFaults; more > 0 {
		fmt.Fprintf(&b, "\n  and %s more", figure.Count(uint64(more)))
	}
	return b.String()
}

// Unwrap returns Kind.
func (e *DatasetError) Unwrap() error { return e.Kind }

// FaultList collects faults from any number of goroutines. The zero value is empty.
type FaultList struct {
	mu      sync.Mutex
	faults  []Fault
	omitted int
}

// Addf adds a fault of the record where. Faults after the first 10,000 are only counted.
func (l *FaultList) Addf(where, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) == maxStoredFaults {
		l.omitted++
		return
	}
	l.faults = append(l.faults, Fault{where, fmt.Sprintf(format, args...)})
}

// CheckRecords calls check for n records in parallel and adds the problems in the order of the records. where returns
// the name of record i.
func (l *FaultList) CheckRecords(n int, where func(i int) string, check func(i int) (problems []string)) {
	problems := make([][]string, n)
	parallel.Each(context.Background(), n, func(i int) { problems[i] = check(i) })
	for i := range problems {
		for _, p := range problems[i] {
			l.Addf(where(i), "%s", p)
		}
	}
}

// Len returns the number of faults.
func (l *FaultList) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.faults) + l.omitted
}

// Err returns a *DatasetError with all faults in the order of adding, or nil if there are none.
func (l *FaultList) Err(kind error, path string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) == 0 {
		return nil
	}
	return &DatasetError{kind, path, append([]Fault(nil), l.faults...), l.omitted}
}
