package accuracy

import (
	"errors"
	"fmt"
)

// shown is how many faults an error spells out.
const shown = 20

// FaultList collects the faults of payloads and of their references, so that one error can report them all. The zero
// value is empty.
type FaultList struct {
	texts []error
	more  int
}

// Addf adds a fault. Those after the first 20 are only counted.
func (l *FaultList) Addf(format string, args ...any) {
	if len(l.texts) == shown {
		l.more++
		return
	}
	l.texts = append(l.texts, fmt.Errorf(format, args...))
}

// Err returns an error of the given kind with one line for each fault, or nil without faults.
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
