//go:build officialloadgen && cgo

package official

import (
	"runtime"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// teller hands the answers of a token run to the library from one thread. The library keeps the order of what one
// thread says and no other order, and a sample's end must not come before its first token; a goroutine changes threads.
type teller struct {
	said chan saying
	done chan struct{} // closed at the end of the test
}

// saying is one call of a SUT. Its payloads are copies.
type saying struct {
	first   bool
	answers []loadgen.QuerySampleResponse
}

// waiting is how many calls may wait for the thread before their callers do.
const waiting = 1024

// startTeller begins to tell t what is said, until stop.
func startTeller(t *run) (stop func()) {
	t.teller = &teller{said: make(chan saying, waiting), done: make(chan struct{})}
	go t.teller.tell(t)
	return func() { close(t.teller.done) }
}

func (s *teller) say(first bool, rs []loadgen.QuerySampleResponse) {
	rs = slices.Clone(rs)
	for i := range rs {
		rs[i].Data = slices.Clone(rs[i].Data)
	}
	select {
	case s.said <- saying{first, rs}:
	case <-s.done:
	}
}

func (s *teller) tell(t *run) {
	runtime.LockOSThread() // for good: the thread ends with the goroutine
	for {
		select {
		case c := <-s.said:
			if c.first {
				t.firstTokens(c.answers)
			} else {
				t.complete(c.answers)
			}
		case <-s.done:
			return
		}
	}
}
