package standstill

import (
	"testing"
	"time"
)

func TestWaitedOf(t *testing.T) {
	for text, want := range map[string]time.Duration{"813696 2306037 3\n": 2306037, "1 0 0": 0} {
		if got, ok := waitedOf(text); !ok || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, ok, want)
		}
	}
}

func FuzzWaitedOf(f *testing.F) {
	for _, text := range []string{"813696 2306037 3\n", "1", "1 x", "", "1 -1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if ns, ok := waitedOf(text); !ok && ns != 0 {
			t.Errorf("%q: %v of what cannot be read", text, ns)
		}
	})
}
