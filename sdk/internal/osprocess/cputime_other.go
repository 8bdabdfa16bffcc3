//go:build !linux

package osprocess

import (
	"errors"
	"time"
)

// ProcessorTime is the processor time, user and system together, that processes have taken since each began: on Linux
// alone.
func ProcessorTime(...int) (time.Duration, error) { return 0, errors.ErrUnsupported }
