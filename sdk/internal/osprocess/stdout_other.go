//go:build !unix

package osprocess

import "os"

// divertStdout does not change the descriptors. C libraries still print to the standard output, which the host drains.
func divertStdout() (*os.File, error) { return os.Stdout, nil }
