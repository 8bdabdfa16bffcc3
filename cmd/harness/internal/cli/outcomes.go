package cli

import (
	"errors"
	"slices"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// outcomes are those of several runs or audits: the worst of them is the command's.
type outcomes struct {
	codes  []exitcode.Code
	errors []error
}

// add adds how something ended.
func (o *outcomes) add(code exitcode.Code) { o.codes = append(o.codes, code) }

// fault adds an error, if there is one.
func (o *outcomes) fault(err error) {
	if err != nil {
		o.errors = append(o.errors, err)
		o.codes = append(o.codes, exitcode.Of(err))
	}
}

// good says whether nothing has ended badly so far.
func (o *outcomes) good() bool { return len(o.codes) == 0 }

// has says whether anything ended so.
func (o *outcomes) has(code exitcode.Code) bool { return slices.Contains(o.codes, code) }

// err is the errors, with the class of the worst outcome.
func (o *outcomes) err() error {
	code := exitcode.Worst(o.codes...)
	switch {
	case len(o.errors) > 0:
		return exitcode.Mark(code, errors.Join(o.errors...))
	case len(o.codes) > 0:
		return &exitcode.Outcome{Code: code}
	}
	return nil
}
