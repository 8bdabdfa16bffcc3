package shell

import (
	"errors"
	"slices"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// RunOutcomes contains the outcomes of several runs or audits. The worst is the command's outcome.
type RunOutcomes struct {
	codes  []exitcode.Code
	errors []error
}

// Add adds an outcome.
func (o *RunOutcomes) Add(code exitcode.Code) { o.codes = append(o.codes, code) }

// Fault adds an error, unless it is nil.
func (o *RunOutcomes) Fault(err error) {
	if err != nil {
		o.errors = append(o.errors, err)
		o.codes = append(o.codes, exitcode.Of(err))
	}
}

// Good reports whether there is no bad outcome so far.
func (o *RunOutcomes) Good() bool { return len(o.codes) == 0 }

// Has reports whether an outcome has this code.
func (o *RunOutcomes) Has(code exitcode.Code) bool { return slices.Contains(o.codes, code) }

// Err returns the joined errors with the worst exit code.
func (o *RunOutcomes) Err() error {
	code := exitcode.Worst(o.codes...)
	switch {
	case len(o.errors) > 0:
		return exitcode.Mark(code, errors.Join(o.errors...))
	case len(o.codes) > 0:
		return &exitcode.Outcome{Code: code}
	}
	return nil
}
