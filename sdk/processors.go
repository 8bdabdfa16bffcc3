package sdk

import (
	"os"
	"runtime"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// makeRoom lets Go use a processor more for each run that computes in native code, and returns what takes them back.
//
// A goroutine in native code keeps its place among GOMAXPROCS until the runtime looks, which may take 10 ms. With all places
// kept, a query that has come, or an answer that is ready, waits as long for a goroutine to see to it. A number that
// the user gives in the environment is left as it is.
func makeRoom(sessions []backend.Session) (undo func()) {
	n := 0
	for _, s := range sessions {
		if l := s.Limits(); l.Native {
			n += max(1, l.Concurrency)
		}
	}
	if n == 0 || os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
	return func() { runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) - n) }
}
