package pack

import (
	"strings"
	"testing"
)

func FuzzParseSum(f *testing.F) {
	f.Add(strings.Repeat("ab", 32) + "  a.tar.gz\n")
	f.Add(strings.Repeat("AB", 32) + " *a")
	f.Fuzz(func(t *testing.T, text string) {
		sum, err := parseSum(text, "file")
		if err == nil && (len(sum) != 64 || !strings.HasPrefix(text, sum)) {
			t.Errorf("%q has the sum %q", text, sum)
		}
	})
}
