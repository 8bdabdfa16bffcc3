//go:build !unix

package cli

import "errors"

// become is not possible here.
func become(string, []string) error { return errors.ErrUnsupported }
