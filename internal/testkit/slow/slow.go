// Package slow restricts slow tests, such as many kills or every scenario of every model, to make test-all.
package slow

import (
	"os"
	"testing"
)

// All says whether PLUMBLINE_ALL asks for everything, as make test-all does. It is for tests that make more trials
// then.
func All() bool { return os.Getenv("PLUMBLINE_ALL") != "" }

// Skip skips a test unless everything is asked for. Use it sparingly: a test that is skipped finds nothing.
func Skip(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("slow: make test-all")
	}
}
