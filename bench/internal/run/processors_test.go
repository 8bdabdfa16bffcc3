package run

import (
	"runtime"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func TestProcessorsOfARun(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		scenario loadgen.Scenario
		official bool
		keep     bool
		want     int
	}{
		{loadgen.SingleStream, false, false, 1},
		{loadgen.SingleStream, false, true, before},
		{loadgen.SingleStream, true, false, 1},
		{loadgen.SingleStream, true, true, before},
		{loadgen.MultiStream, false, false, before},
		{loadgen.MultiStream, true, false, before},
		{loadgen.Server, false, false, before},
		{loadgen.Server, true, false, max(before, 2)},
		{loadgen.Offline, false, false, before},
		{loadgen.Offline, true, false, max(before, 2)},
	} {
		undo := chooseProcessors(c.scenario, c.official, c.keep)
		if got := runtime.GOMAXPROCS(0); got != c.want {
			t.Errorf("%v, official %v, keep %v: %d processors, want %d", c.scenario, c.official, c.keep, got, c.want)
		}
		undo()
		if got := runtime.GOMAXPROCS(0); got != before {
			t.Errorf("%v: %d processors at the end, want %d", c.scenario, got, before)
		}
	}
}
