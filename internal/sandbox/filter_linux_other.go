//go:build linux && !amd64 && !arm64

package sandbox

import (
	"fmt"
	"runtime"
)

func filter() error { return filterKnown() }

func filterKnown() error {
	return fmt.Errorf("%w: the system calls of %s are not known to it", ErrRefused, runtime.GOARCH)
}
