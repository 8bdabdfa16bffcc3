package option

import (
	"errors"
	"fmt"
)

// Params contains a benchmark's parameters. Its manifest contains their names, defaults and help. [Bind] reads them
// into a struct; the methods read single parameters by name. An invalid value becomes a fault and reads as the zero
// value. Params is not safe for concurrent use.
type Params struct {
	values map[string]string
	faults []error
}

// NewParams returns Params with these values. It keeps the map, and SetText changes it.
func NewParams(values map[string]string) *Params { return &Params{values: values} }

// Text returns a value unchanged.
func (p *Params) Text(name string) string { return p.values[name] }

// SetText changes a value.
func (p *Params) SetText(name, value string) { p.values[name] = value }

// Int returns a whole number from low to high.
func (p *Params) Int(name string, low, high int) int { return Parse(p, name, wholeReader(low, high)) }

// Float returns a number from low to high.
func (p *Params) Float(name string, low, high float64) float64 {
	return Parse(p, name, numberReader(low, high))
}

// Bool returns true or false. It accepts all forms of strconv.ParseBool.
func (p *Params) Bool(name string) bool { return Parse(p, name, parseBool) }

// Pick returns the value of a word. If words contains the empty word, the parameter may be empty.
func Pick[T any](p *Params, name string, words map[string]T) T {
	return Parse(p, name, wordReader(words))
}

// Parse returns the result of read for a value. Errors of read state the expected form. The name and the value are
// added before them.
func Parse[T any](p *Params, name string, read func(value string) (T, error)) T {
	v, err := read(p.values[name])
	p.AddFault(name, err)
	return v
}

// AddFault adds a fault of a parameter's value unless err is nil. err states the expected form.
func (p *Params) AddFault(name string, err error) {
	if err != nil {
		p.faults = append(p.faults, fmt.Errorf("parameter %s = %q: %w", name, p.values[name], err))
	}
}

// Err joins the faults of all parameters read so far.
func (p *Params) Err() error { return errors.Join(p.faults...) }
