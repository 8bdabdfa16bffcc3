// Package fault collects the faults of a data set, so that one error can list them all.
package fault

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// Fault is one fault of a data set.
type Fault struct {
	Where   string // the record: its place in the file and what it is called; "": the file as a whole
	Problem string // what was found, and what was expected
}

func (f Fault) String() string {
	if f.Where == "" {
		return f.Problem
	}
	return f.Where + ": " + f.Problem
}

// DatasetError contains all faults of a data set.
type DatasetError struct {
	Kind   error  // the sentinel of the package that reads the data set
	Path   string // of the file or folder that is wrong
	Faults []Fault
	More   int // faults beyond the first 10,000, which are only counted
}

const (
	shown = 20     // faults that the text of an error spells out
	kept  = 10_000 // faults that an error holds: a file may be wrong in each of a billion records
)

// Error spells out the first 20 faults, one per line, and counts the rest.
func (e *DatasetError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s: %s:", e.Kind, e.Path, figure.Plural(len(e.Faults)+e.More, "fault"))
	for _, f := range e.Faults[:min(len(e.Faults), shown)] {
		fmt.Fprintf(&b, "\n  %v", f)
	}
	if more := len(e.Faults) + e.More - shown; more > 0 {
		fmt.Fprintf(&b, "\n  and %s more", figure.Count(uint64(more)))
	}
	return b.String()
}

// Unwrap returns Kind.
func (e *DatasetError) Unwrap() error { return e.Kind }

// FaultList collects faults, from any goroutine. The zero value is empty.
type FaultList struct {
	mu     sync.Mutex
	faults []Fault
	more   int
}

// Addf adds a fault of a record. Those after the first 10,000 are only counted.
func (l *FaultList) Addf(where, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) == kept {
		l.more++
		return
	}
	l.faults = append(l.faults, Fault{where, fmt.Sprintf(format, args...)})
}

// CheckRecords adds the problems of n records in their order; check returns those of record i, on any processor, and
// where is what the record is called.
func (l *FaultList) CheckRecords(n int, where func(i int) string, check func(i int) (problems []string)) {
	problems := make([][]string, n)
	lists.Each(context.Background(), n, func(i int) { problems[i] = check(i) })
	for i := range problems {
		for _, p := range problems[i] {
			l.Addf(where(i), "%s", p)
		}
	}
}

// Len is the number of faults.
func (l *FaultList) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.faults) + l.more
}

// Err is an *Error with all faults in the order in which they were added, or nil if there are none.
func (l *FaultList) Err(kind error, path string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) == 0 {
		return nil
	}
	return &DatasetError{kind, path, append([]Fault(nil), l.faults...), l.more}
}
