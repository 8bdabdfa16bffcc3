package serve

import (
	"runtime"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// native is a session with a number of concurrent runs and a report whether they run in native code.
type native struct {
	backend.Session
	limits backend.Limits
}

func (n native) Limits() backend.Limits { return n.limits }

func TestNativeRunsGetProcessors(t *testing.T) {
	here := runtime.GOMAXPROCS(0)
	runs := func(n int, device string) placedSession {
		return placedSession{native{limits: backend.Limits{Concurrency: n, Native: true}}, "", device}
	}
	for name, c := range map[string]struct {
		environment string
		sessions    []placedSession
		inline      bool
		want        processorPlan
	}{
		"one run": {sessions: []placedSession{runs(1, "")}, want: processorPlan{here, here + 1, here + 1}},
		"two parts": {sessions: []placedSession{runs(2, ""), runs(3, "")},
			want: processorPlan{here, here + 3, here + 3}},
		"a session for each core": {sessions: []placedSession{runs(4, "a"), runs(3, "b")},
			want: processorPlan{here, here + 7, here + 7}},
		"no preference": {sessions: []placedSession{runs(0, "")}, want: processorPlan{here, here + 1, here + 1}},
		"one query at a time": {sessions: []placedSession{runs(1, "")}, inline: true, want: processorPlan{here, here + 1,
			1}},
		"Go, or elsewhere": {
			sessions: []placedSession{{Session: native{limits: backend.Limits{Concurrency: 8}}}}, inline: true,
			want: processorPlan{here,
				here, here},
		},
		"the user's number": {environment: "3", sessions: []placedSession{runs(4, "")}, inline: true,
			want: processorPlan{here, here, here}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOMAXPROCS", c.environment)
			if got := planProcessors(c.sessions, c.inline); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
