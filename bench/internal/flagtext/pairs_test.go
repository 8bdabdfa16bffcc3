package flagtext

import (
	"strings"
	"testing"
)

func FuzzPairs(f *testing.F) {
	f.Add("a=b", "a=c")
	f.Add("=", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		m, faults := ParsePairs("--x", []string{a, b})
		if len(m)+len(faults) != 2 {
			t.Errorf("%q, %q: %v and %v", a, b, m, faults)
		}
		for key := range m {
			if key == "" || strings.Contains(key, "=") {
				t.Errorf("key %q", key)
			}
		}
	})
}
