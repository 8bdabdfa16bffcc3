package plugin

import "errors"

// ErrFault is the class of plugin faults without a *host.PluginError, for example a plugin that cannot be read or
// serves no model.
var ErrFault = errors.New("plugin failed")

// Fault marks err as ErrFault and keeps its text. A nil error stays nil.
func Fault(err error) error {
	if err == nil {
		return nil
	}
	return classedError{err}
}

// classedError is an error of class ErrFault whose text does not mention the class.
type classedError struct{ error }

func (f classedError) Unwrap() error        { return f.error }
func (f classedError) Is(target error) bool { return target == ErrFault }
