//go:build !linux

package osprocess

import (
	"errors"
	"time"
)

// ProcessorTime returns an error, because it is supported only on Linux.
func ProcessorTime(...int) (time.Duration, error) { return 0, errors.ErrUnsupported }
