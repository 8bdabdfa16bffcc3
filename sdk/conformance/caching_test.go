package conformance

import (
	"slices"
	"testing"
	"time"
)

// TestKept checks that a cache is reported only if the fastest new answer takes far longer than most repeated ones.
func TestKept(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	late := func(n int, usual, delay time.Duration) []time.Duration { // n of 8 answers are delayed
		return append(slices.Repeat([]time.Duration{usual}, 8-n), slices.Repeat([]time.Duration{delay}, n)...)
	}
	for name, c := range map[string]struct {
		first, second []time.Duration
		kept          bool
	}{
		"no cache":                     {late(0, ms, 0), late(0, ms, 0), false},
		"a cache":                      {late(0, 3*ms, 0), late(0, 100*us, 0), true},
		"a cache on a busy machine":    {late(4, 3*ms, 20*ms), late(3, 100*us, 9*ms), true},
		"a quick device":               {late(0, 150*us, 0), late(0, 10*us, 0), false},
		"most of the new ones delayed": {late(7, 120*us, 4*ms), late(0, 120*us, 0), false},
		"a little quicker":             {late(0, ms, 0), late(0, 600*us, 0), false},
	} {
		if got := looksCached(c.first, c.second); got != c.kept {
			t.Errorf("%s: %v, want %v", name, got, c.kept)
		}
	}
}
