// Package officialtest finds the official LoadGen for tests.
package officialtest

import (
	"os"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// Library is the official LoadGen that the environment variable PLUMBLINE_OFFICIAL_LIBRARY names, as make test-official
// OF=loadgen does; without it the test is skipped.
func Library(t testing.TB) *official.Library {
	t.Helper()
	path := os.Getenv("PLUMBLINE_OFFICIAL_LIBRARY")
	if path == "" {
		t.Skip("PLUMBLINE_OFFICIAL_LIBRARY names no library: make test-official OF=loadgen LOADGEN=DIR runs this")
	}
	l, err := official.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
