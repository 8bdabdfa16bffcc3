package bench

import (
	"runtime"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// limitProcessors lets Go use one processor while one query at a time is in work, unless all are to be kept, and
// returns what gives the others back.
//
// An answer that comes passes from the thread that waits for it to the goroutine that issues the next query. With
// several processors each step wakes another thread, on cores that the model is about to compute on.
func limitProcessors(s loadgen.Scenario, keep bool) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if s != loadgen.SingleStream || keep {
		return func() {}
	}
	runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}
