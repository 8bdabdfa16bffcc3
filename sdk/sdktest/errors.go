package sdktest

import (
	"strings"
	"testing"
)

// WantError fails the test unless err's text contains all parts.
func WantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q, want it to hold %q", err, p)
		}
	}
}
