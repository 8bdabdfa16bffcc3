package bench

import (
	"os"
	"runtime"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// limitProcessors lets Go use one processor while one query at a time is in work, and returns what gives the others back.
//
// An answer that comes passes from the thread that waits for it to the goroutine that issues the next query. With several
// processors each step wakes another thread, on cores that the model is about to compute on. A number that the user
// gives in the environment is left as it is.
func limitProcessors(s loadgen.Scenario) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if s != loadgen.SingleStream || os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}
