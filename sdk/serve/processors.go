package serve

import (
	"os"
	"runtime"
)

// processorPlan contains the number of processors that Go uses while a workload is open.
type processorPlan struct {
	before  int // before the workload
	prepare int // while samples are loaded
	answer  int // while queries are answered
}

// planProcessors chooses the numbers of processors for a workload. It does not change a number that the user sets in
// the environment.
//
// A goroutine in native code occupies one of GOMAXPROCS processors until the runtime notices, which may take 10 ms. If
// all are occupied, an arriving query or a finished answer waits as long for a goroutine. Therefore there is one more
// processor for each native run.
//
// If one goroutine does everything (inline), a second processor is harmful. The runtime would check every 50 µs whether
// the run is over and wake threads without need, on the cores on which the model runs. With one processor, the runtime
// gives it away at once and sleeps.
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

// nativeRuns returns the number of concurrent runs in native code. On each device it is the maximum of the parts,
// because a batch in progress is in one of them.
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

// useProcessors changes the number only if necessary, because a change stops all goroutines for a moment.
func useProcessors(n int) {
	if n > 0 && n != runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(n)
	}
}
