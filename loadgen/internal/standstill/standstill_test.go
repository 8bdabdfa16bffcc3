package standstill

import (
	"runtime"
	"testing"
	"time"
)

func TestBetween(t *testing.T) {
	const s = time.Second
	last := Look{Monotonic: 100 * s, Boot: 300 * s, Ran: 50 * s, Waited: 10 * s}
	cores := time.Duration(runtime.NumCPU())
	for name, c := range map[string]struct {
		monotonic, boot, ran, waited time.Duration // differences to the previous reading
		want                         time.Duration
	}{
		"nothing":                                 {Every, Every, Every, 0, 0},
		"as long as may be":                       {s, s, 0, 0, 0},
		"the machine was suspended":               {Every, Every + 20*s, 0, 0, 20*s + Every},
		"for as long as may be":                   {Every, Every + s, 0, 0, 0},
		"the process was stopped":                 {20 * s, 20 * s, 0, 0, 20 * s},
		"just longer than may be":                 {s + 1, s + 1, 0, 0, s + 1},
		"it was stopped, and busy before":         {20 * s, 20 * s, cores * Every, 0, 20 * s},
		"it was stopped, and waited before":       {20 * s, 20 * s, 0, 2 * s, 20 * s},
		"it was stopped, and the machine as well": {5 * s, 25 * s, 0, 0, 25 * s},
		"the machine is busy":                     {3 * s, 3 * s, s / 10, 29 * s / 10, 0},
		"one thread of several waits":             {3 * s, 3 * s, 0, 2 * s, 0},
		"goroutines keep it from looking":         {3 * s, 3 * s, 3*s + cores*Every, 0, 0},
	} {
		next := Look{last.Monotonic + c.monotonic, last.Boot + c.boot, last.Ran + c.ran, last.Waited + c.waited}
		if got := Between(last, next); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		next.Waited = -1
		if got := Between(last, next); c.boot-c.monotonic <= s && got != 0 {
			t.Errorf("%s, waiting times unknown: %v, want 0", name, got)
		}
	}
}

func TestNow(t *testing.T) {
	if !Supported {
		t.Skip("no such clocks on this system")
	}
	last := Now()
	after := Now() // the clocks are read one after another
	began := time.Now()
	for time.Since(began) < 20*time.Millisecond { // work
	}
	next := Now()
	if next.Monotonic <= last.Monotonic || next.Boot-last.Boot < next.Monotonic-after.Monotonic ||
		next.Ran <= last.Ran || next.Waited < 0 {
		t.Errorf("%+v, then %+v", last, next)
	}
}

func BenchmarkNow(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Now()
	}
}
