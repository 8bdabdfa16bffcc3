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
	return fault{err}
}

// fault is an error of the class whose text does not name it.
type fault struct{ error }

func (f fault) Unwrap() error        { return f.error }
func (f fault) Is(target error) bool { return target == ErrFault }
