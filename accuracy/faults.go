package accuracy

import (
	"errors"
	"fmt"
)

// maxShown is the maximum number of faults that an error describes.
const shown = 20

// FaultList collects the faults of payloads and of their references, so that one error can report them all. The zero
// value is empty.
type FaultList struct {
	texts []error
	more  int
}

// Addf adds a fault. It only counts the faults after the first 20.
func (l *FaultList) Addf(format string, args ...any) {
	if len(l.texts) == shown {
		l.more++
		return
	}
	l.texts = append(l.texts, fmt.Errorf(format, args...))
}

// Err returns an error of the given kind with one line for each fault, or nil if there are no faults.
func (l *FaultList) Err(kind error) error {
	if len(l.texts) == 0 {
		return nil
	}
	texts := l.texts
	if l.more > 0 {
		texts = append(texts, fmt.Errorf("and %d more", l.more))
	}
	return fmt.Errorf("%w: %w", kind, errors.Join(texts...))
}
