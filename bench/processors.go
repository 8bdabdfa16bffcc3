package bench

import (
	"runtime"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// chooseProcessors lets Go use as many processors as a run with this LoadGen needs, unless they are to be kept, and
// returns what gives the others back.
//
// While one query at a time is in work one is enough: an answer that comes passes from the thread that waits for it to
// the goroutine that issues the next query. With several processors each step wakes another thread, on cores that the
// model is about to compute on. Where the official LoadGen keeps times by itself, or waits for its logs, its thread
// takes a processor along, until Go's runtime sees that: it has one to itself there.
func chooseProcessors(s loadgen.Scenario, official, keep bool) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	wanted := before
	switch {
	case keep:
	case s == loadgen.SingleStream:
		wanted = 1
	case official && s != loadgen.MultiStream:
		wanted = max(before, 2)
	}
	if wanted == before {
		return func() {}
	}
	runtime.GOMAXPROCS(wanted)
	return func() { runtime.GOMAXPROCS(before) }
}
