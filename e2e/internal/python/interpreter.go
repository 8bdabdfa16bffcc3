// Package python has the interpreter of tests that need one.
package python

import (
	"os"
	"testing"
)

// Interpreter is the interpreter that make test-extra OF=python names.
func Interpreter(t *testing.T) string {
	t.Helper()
	path := os.Getenv("PLUMBLINE_PYTHON")
	if path == "" {
		t.Skip("PLUMBLINE_PYTHON names no interpreter: make test-extra OF=python PYTHON=python3 runs this")
	}
	return path
}
