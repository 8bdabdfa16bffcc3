//go:build officialloadgen && cgo

package official

import (
	"runtime"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// reporter passes the responses of a token run to the library from one thread. The library keeps the order of calls
// only within a thread, and a sample's first token must come before its end. A goroutine may change threads.
type teller struct {
	said chan saying
	done chan struct{} // closed at the end of the test
}

// report is one call of a SUT. It holds copies of the payloads.
type saying struct {
	first   bool
	answers []loadgen.QuerySampleResponse
}

// maxReports is the number of calls that may be queued. Further callers wait.
const waiting = 1024

// startReporter starts the thread that passes responses to t. stop ends it.
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
	runtime.LockOSThread() // for the goroutine's life: the thread ends with it
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
