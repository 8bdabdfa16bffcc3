package harness

import (
	"strings"
	"testing"
)

// EitherWay expects a verdict, passed or not: on a busy machine two equal runs may differ by more than the bound.
func EitherWay(t *testing.T, r Result) Result {
	t.Helper()
	if r.Code != 0 && r.Code != 3 {
		t.Errorf("exit code %d, want 0 or 3:\n%s", r.Code, r.Both())
	}
	return r
}

// WantMessage checks that stderr has every part and no sign of a panic.
func WantMessage(t *testing.T, r Result, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.Stderr, part) {
			t.Errorf("no %q in the message:\n%s", part, r.Stderr)
		}
	}
	if strings.Contains(r.Stderr, "goroutine ") || strings.Contains(r.Stderr, "panic:") {
		t.Errorf("a panic reached the user:\n%s", r.Stderr)
	}
}

// WantParts fails the test unless each part is in the text.
func WantParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}
