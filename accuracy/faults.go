package accuracy

import (
	"errors"
	"fmt"
)

// maxShown is the maximum number of faults that an error describes.
const maxShown = 20

// FaultList collects the faults of payloads and of their references, so that one error can report them all. The zero
// value is empty.
type FaultList struct {
	listed  []error
	omitted int
}

// Addf adds a fault. It only counts the faults after the first 20.
func (l *FaultList) Addf(format string, args ...any) {
	if len(l.listed) == maxShown {
		l.omitted++
		return
	}
	l.listed = append(l.listed, fmt.Errorf(format, args...))
}

// Err returns an error of the given kind with one line for each fault, or nil if there are no faults.
func (l *FaultList) Err(kind error) error {
	if len(l.listed) == 0 {
		return nil
	}
	texts := l.listed
	if l.omitted > 0 {
		texts = append(texts, fmt.Errorf("and %d more", l.omitted))
	}
	return fmt.Errorf("%w: %w", kind, errors.Join(texts...))
}
