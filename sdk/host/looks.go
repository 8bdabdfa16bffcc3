package host

import "time"

// checkInterval is the time between checks for events that cannot be waited for. Timeouts count checks, so a standstill
// of this process counts as one check.
const checkInterval = 50 * time.Millisecond

// awaitQuiet waits until done is closed. It also ends after quiet consecutive checks without growth of count, or after
// limit checks.
func awaitQuiet(done <-chan struct{}, count func() uint64, quiet, limit int) {
	before, silent := count(), 0
	for i := 0; i < limit && silent < quiet; i++ {
		select {
		case <-done:
			return
		case <-time.After(checkInterval):
		}
		n := count()
		if n == before {
			silent++
			continue
		}
		before, silent = n, 0
	}
}
