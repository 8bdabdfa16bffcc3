package run

import (
	"os"
	"time"

	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// phaseInterval is the interval between checks whether the measured time has begun or ended.
const phaseInterval = 50 * time.Millisecond

// watchOthers measures the processor time of other programs during a test, from the first query to the last answer. If
// the test does not report its progress, it measures during the whole test. finish adds the result to the record.
func (r *runner) watchOthers(progress *loadgen.Progress) (finish func(*record.Run)) {
	read := func() (system.ProcessorTimes, bool) { return system.ReadProcessors(r.request.Root(), os.Getpid()) }
	begun, ok := read()
	if !ok {
		return func(*record.Run) {}
	}
	var ended system.ProcessorTimes
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(phaseInterval)
		defer tick.Stop()
		for issuing := false; ; {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			switch phase := progress.Phase(); {
			case !issuing && (phase == loadgen.PhaseIssuing || phase == loadgen.PhaseDraining):
				issuing = true
				begun, _ = read()
			case issuing && phase > loadgen.PhaseDraining:
				ended, _ = read()
				return
			}
		}
	}()
	return func(rec *record.Run) {
		close(stop)
		<-stopped
		if ended == (system.ProcessorTimes{}) {
			ended, _ = read()
		}
		if o, ok := ended.Since(begun); ok {
			rec.FromOthers(o)
		}
	}
}
