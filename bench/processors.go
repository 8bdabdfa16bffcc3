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
// model is about to compute on. The official LoadGen's threads call into Go, where each needs a processor while another
// thread that waits has one: with a single one such a call takes 0.2 ms, with two, also on one core, microseconds.
func chooseProcessors(s loadgen.Scenario, official, keep bool) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	wanted := before
	switch {
	case keep:
	case official:
		wanted = max(before, 2)
	case s == loadgen.SingleStream:
		wanted = 1
	}
	if wanted == before {
		return func() {}
	}
	runtime.GOMAXPROCS(wanted)
	return func() { runtime.GOMAXPROCS(before) }
}
