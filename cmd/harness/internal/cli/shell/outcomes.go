package shell

import (
	"errors"
	"slices"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// Outcomes contains the outcomes of several runs or audits. The worst is the command's outcome.
type Outcomes struct {
	codes  []exitcode.Code
	errors []error
}

// Add adds how something ended.
func (o *Outcomes) Add(code exitcode.Code) { o.codes = append(o.codes, code) }

// Fault adds an error, if there is one.
func (o *Outcomes) Fault(err error) {
	if err != nil {
		o.errors = append(o.errors, err)
		o.codes = append(o.codes, exitcode.Of(err))
	}
}

// Good says whether nothing has ended badly so far.
func (o *Outcomes) Good() bool { return len(o.codes) == 0 }

// Has says whether anything ended so.
func (o *Outcomes) Has(code exitcode.Code) bool { return slices.Contains(o.codes, code) }

// Err is the errors, with the class of the worst outcome.
func (o *Outcomes) Err() error {
	code := exitcode.Worst(o.codes...)
	switch {
	case len(o.errors) > 0:
		return exitcode.Mark(code, errors.Join(o.errors...))
	case len(o.codes) > 0:
		return &exitcode.Outcome{Code: code}
	}
	return nil
}
