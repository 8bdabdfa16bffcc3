package record

import (
	"math"
	"testing"
)

func FuzzDelays(f *testing.F) {
	for _, ns := range []int64{0, 1, 1<<30 - 1, 1 << 30, 1<<36 - 1, 1 << 36, 1<<48 - 1, 1 << 48, math.MaxInt64} {
		f.Add(ns)
	}
	f.Fuzz(func(t *testing.T, ns int64) {
		if ns < 0 {
			return
		}
		d := make(Delays, 2)
		d.Set(1, ns)
		got := d.At(1)
		switch {
		case ns < 1<<30 && got != ns:
			t.Errorf("%d becomes %d", ns, got)
		case ns < 1<<48 && (got > ns || float64(ns-got) > float64(ns)/(1<<24)):
			t.Errorf("%d becomes %d", ns, got)
		case ns >= 1<<48 && got < 1<<48-1<<18:
			t.Errorf("%d becomes %d", ns, got)
		case d[0] != 0:
			t.Errorf("the neighbour becomes %d", d[0])
		}
	})
}
