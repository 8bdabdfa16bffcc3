//go:build !unix

package serving

import "time"

// processTime is unknown here.
func processTime() time.Duration { return 0 }
