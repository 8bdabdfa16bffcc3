// Package slow restricts slow tests, such as many kills or every scenario of every model, to make test-all.
package slow

import (
	"os"
	"testing"
)

// All reports whether PLUMBLINE_ALL is set, as in make test-all. Tests may then make more trials.
func All() bool { return os.Getenv("PLUMBLINE_ALL") != "" }

// Skip skips a test unless PLUMBLINE_ALL is set. Use it sparingly, because a skipped test finds no faults.
func Skip(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("slow: make test-all")
	}
}
