//go:build !linux

package e2e

import "os"

// shrink leaves a pipe as it is: only Linux changes its buffer.
func shrink(*os.File) error { return nil }
