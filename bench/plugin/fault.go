package plugin

import "errors"

// ErrFault is the class of what a plugin is to blame for and no *host.PluginError says: one that cannot be
// read, or serves nothing.
var ErrFault = errors.New("plugin failed")

// Fault marks err as ErrFault and keeps its text. No error stays none.
func Fault(err error) error {
	if err == nil {
		return nil
	}
	return classedError{err}
}

// classedError is an error of the class whose text does not name it.
type classedError struct{ error }

func (f classedError) Unwrap() error        { return f.error }
func (f classedError) Is(target error) bool { return target == ErrFault }
