package golden

import (
	"os"
	"testing"
)

// Library is what open, official.Open, makes of the official LoadGen that the environment variable
// PLUMBLINE_OFFICIAL_LIBRARY names, as make test-official OF=loadgen does; without it the test is skipped. Tests of
// what package official needs use this package, too: it cannot open the library itself.
func Library[L any](t testing.TB, open func(path string) (L, error)) L {
	t.Helper()
	path := os.Getenv("PLUMBLINE_OFFICIAL_LIBRARY")
	if path == "" {
		t.Skip("PLUMBLINE_OFFICIAL_LIBRARY names no library: make test-official OF=loadgen LOADGEN=DIR runs this")
	}
	l, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
