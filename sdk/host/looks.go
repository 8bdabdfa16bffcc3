package host

import "time"

// look is how often something is looked at that cannot be waited for. Time is counted in looks: where this process
// stands still itself, that is one of them.
const look = 50 * time.Millisecond

// awaitRest waits until done is closed. So many looks in a row at which count has not grown count as the end as well,
// and there is a limit.
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
