package host

import "time"

// look is the time between checks for events that cannot be waited for. Timeouts count checks, so a standstill of this
// process counts as one check.
const look = 50 * time.Millisecond

// awaitRest waits until done is closed. It also ends after quiet consecutive checks without growth of count, or after
// limit checks.
func awaitRest(done <-chan struct{}, count func() uint64, quiet, limit int) {
	before, silent := count(), 0
	for i := 0; i < limit && silent < quiet; i++ {
		select {
		case <-done:
			return
		case <-time.After(look):
		}
		n := count()
		if n == before {
			silent++
			continue
		}
		before, silent = n, 0
	}
}
