package sdk

import (
	"runtime"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// native is a session of so many runs at a time, which say that they are native code's.
type native struct {
	backend.Session
	limits backend.Limits
}

func (n native) Limits() backend.Limits { return n.limits }

func TestNativeRunsGetProcessors(t *testing.T) {
	here := runtime.GOMAXPROCS(0)
	runs := func(n int) backend.Session { return native{limits: backend.Limits{Concurrency: n, Native: true}} }
	for name, c := range map[string]struct {
		environment string
		sessions    []backend.Session
		more        int
	}{
		"one run":                 {sessions: []backend.Session{runs(1)}, more: 1},
		"a session for each core": {sessions: []backend.Session{runs(4), runs(3)}, more: 7},
		"no preference":           {sessions: []backend.Session{runs(0)}, more: 1},
		"Go, or elsewhere":        {sessions: []backend.Session{native{limits: backend.Limits{Concurrency: 8}}}},
		"the user's number":       {environment: "3", sessions: []backend.Session{runs(4)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOMAXPROCS", c.environment)
			undo := makeRoom(c.sessions)
			if got := runtime.GOMAXPROCS(0); got != here+c.more {
				t.Errorf("%d processors, want %d more than %d", got, c.more, here)
			}
			undo()
			if got := runtime.GOMAXPROCS(0); got != here {
				t.Errorf("%d processors at the end, want %d", got, here)
			}
		})
	}
}
