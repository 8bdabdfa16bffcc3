package bench

import (
	"runtime"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func TestOneQueryAtATimeNeedsOneProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		scenario    loadgen.Scenario
		environment string
		want        int
	}{
		{loadgen.SingleStream, "", 1},
		{loadgen.SingleStream, "2", before},
		{loadgen.MultiStream, "", before},
		{loadgen.Server, "", before},
		{loadgen.Offline, "", before},
	} {
		t.Setenv("GOMAXPROCS", c.environment)
		undo := limitProcessors(c.scenario)
		if got := runtime.GOMAXPROCS(0); got != c.want {
			t.Errorf("%v with GOMAXPROCS=%q: %d processors, want %d", c.scenario, c.environment, got, c.want)
		}
		undo()
		if got := runtime.GOMAXPROCS(0); got != before {
			t.Errorf("%v: %d processors at the end, want %d", c.scenario, got, before)
		}
	}
}
