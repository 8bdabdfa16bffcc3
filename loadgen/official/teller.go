//go:build officialloadgen && cgo

package official

import (
	"runtime"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// reporter passes the responses of a token run to the library from one thread. The library keeps the order of calls
// only within a thread, and a sample's first token must come before its end. A goroutine may change threads.
type reporter struct {
	reports chan report
	done    chan struct{} // closed at the end of the test
}

// report is one call of a SUT. It holds copies of the payloads.
type report struct {
	first   bool
	answers []loadgen.QuerySampleResponse
}

// maxReports is the number of calls that may be queued. Further callers wait.
const maxReports = 1024

// startReporter starts the thread that passes responses to t. stop ends it.
func startReporter(t *testRun) (stop func()) {
	t.reporter = &reporter{reports: make(chan report, maxReports), done: make(chan struct{})}
	go t.reporter.passReports(t)
	return func() { close(t.reporter.done) }
}

func (s *reporter) enqueue(first bool, rs []loadgen.QuerySampleResponse) {
	rs = slices.Clone(rs)
	for i := range rs {
		rs[i].Data = slices.Clone(rs[i].Data)
	}
	select {
	case s.reports <- report{first, rs}:
	case <-s.done:
	}
}

func (s *reporter) passReports(t *testRun) {
	runtime.LockOSThread() // for the goroutine's life: the thread ends with it
	for {
		select {
		case c := <-s.reports:
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
