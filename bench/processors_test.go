package bench

import (
	"runtime"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func TestOneQueryAtATimeNeedsOneProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		scenario loadgen.Scenario
		keep     bool
		want     int
	}{
		{loadgen.SingleStream, false, 1},
		{loadgen.SingleStream, true, before},
		{loadgen.MultiStream, false, before},
		{loadgen.Server, false, before},
		{loadgen.Offline, false, before},
	} {
		undo := limitProcessors(c.scenario, c.keep)
		if got := runtime.GOMAXPROCS(0); got != c.want {
			t.Errorf("%v, keep %v: %d processors, want %d", c.scenario, c.keep, got, c.want)
		}
		undo()
		if got := runtime.GOMAXPROCS(0); got != before {
			t.Errorf("%v: %d processors at the end, want %d", c.scenario, got, before)
		}
	}
}
