package serve

import (
	"os"
	"runtime"
)

// processorPlan is how many processors Go uses while a workload is open.
type processorPlan struct {
	before  int // the workload
	prepare int // samples are loaded
	answer  int // queries are answered
}

// planProcessors chooses the processors of a workload. A number that the user gives in the environment is left as it
// is.
//
// A goroutine in native code keeps its place among GOMAXPROCS until the runtime looks, which may take 10 ms. With all
// places kept, a query that has come, or an answer that is ready, waits as long for a goroutine to see to it: there is
// one more for each native run.
//
// Where one goroutine does everything (inline), a second place is worse than none: the runtime keeps looking whether
// the run is over, every 50 us, and wakes threads for what nobody waits for, all on the cores that the model computes
// on. With one place it gives that away at once and sleeps.
func planProcessors(sessions []placedSession, inline bool) processorPlan {
	p := processorPlan{before: runtime.GOMAXPROCS(0)}
	runs := nativeRuns(sessions)
	if os.Getenv("GOMAXPROCS") != "" {
		runs = 0
	}
	p.prepare = p.before + runs
	p.answer = p.prepare
	if inline && runs > 0 {
		p.answer = 1
	}
	return p
}

// nativeRuns is how many runs at a time compute in native code: on each device as many as one of the parts takes, since
// a batch in work is in one of them.
func nativeRuns(sessions []placedSession) (n int) {
	most := map[string]int{}
	for _, s := range sessions {
		if l := s.Limits(); l.Native {
			most[s.device] = max(most[s.device], l.Concurrency, 1)
		}
	}
	for _, runs := range most {
		n += runs
	}
	return n
}

// useProcessors changes the number where it has to: that stops all goroutines for a moment.
func useProcessors(n int) {
	if n > 0 && n != runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(n)
	}
}
