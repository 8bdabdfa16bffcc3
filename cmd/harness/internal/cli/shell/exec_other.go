//go:build !unix

package shell

import "errors"

// replaceProcess is not supported on this system.
func become(string, []string) error { return errors.ErrUnsupported }
