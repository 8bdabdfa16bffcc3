// Package faults collects all that is wrong with one input, so that an error can say it at once.
package faults

import (
	"errors"
	"fmt"
)

// shown is how many faults an error spells out.
const shown = 20

// List is a list of faults. The zero value is empty.
type List struct {
	texts []error
	more  int
}

// Addf adds a fault. Those after the first 20 are only counted.
func (l *List) Addf(format string, args ...any) {
	if len(l.texts) == shown {
		l.more++
		return
	}
	l.texts = append(l.texts, fmt.Errorf(format, args...))
}

// Err is an error of the kind given, with one line for each fault; nil without faults.
func (l *List) Err(kind error) error {
	if len(l.texts) == 0 {
		return nil
	}
	texts := l.texts
	if l.more > 0 {
		texts = append(texts, fmt.Errorf("and %d more", l.more))
	}
	return fmt.Errorf("%w: %w", kind, errors.Join(texts...))
}
