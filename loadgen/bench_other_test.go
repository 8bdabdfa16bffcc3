//go:build !unix

package loadgen_test

import "time"

// processorTime returns 0, because this system does not report it.
func processorTime() time.Duration { return 0 }
