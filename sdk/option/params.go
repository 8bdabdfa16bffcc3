package option

import (
	"errors"
	"fmt"
)

// Params are a benchmark's parameters, whose names, defaults and help its manifest has. [Bind] reads them into a
// struct; they can be read one by one, too, by name. A value that cannot be read becomes a fault and reads as the zero
// value. Params belong to one goroutine.
type Params struct {
	values map[string]string
	faults []error
}

// NewParams reads from values, which it keeps.
func NewParams(values map[string]string) *Params { return &Params{values: values} }

// Text returns a value unchanged.
func (p *Params) Text(name string) string { return p.values[name] }

// Int is a whole number from low to high.
func (p *Params) Int(name string, low, high int) int { return Parse(p, name, wholeReader(low, high)) }

// Float is a number from low to high.
func (p *Params) Float(name string, low, high float64) float64 {
	return Parse(p, name, numberReader(low, high))
}

// Bool is true or false, or another form that strconv.ParseBool reads.
func (p *Params) Bool(name string) bool { return Parse(p, name, parseBool) }

// Pick is what a word stands for. Where words has the empty one, the value may be empty.
func Pick[T any](p *Params, name string, words map[string]T) T {
	return Parse(p, name, wordReader(words))
}

// Parse is what read makes of a value. Its errors say what is wanted; the name and the value are put before them.
func Parse[T any](p *Params, name string, read func(value string) (T, error)) T {
	v, err := read(p.values[name])
	p.AddFault(name, err)
	return v
}

// AddFault adds a fault of a parameter's value, unless err is nil. err says what is wanted.
func (p *Params) AddFault(name string, err error) {
	if err != nil {
		p.faults = append(p.faults, fmt.Errorf("parameter %s = %q: %w", name, p.values[name], err))
	}
}

// Err joins the faults of all that was read.
func (p *Params) Err() error { return errors.Join(p.faults...) }
