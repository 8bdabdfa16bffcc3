//go:build !unix

package shell

import "errors"

// become is not possible here.
func become(string, []string) error { return errors.ErrUnsupported }
