package golden

import (
	"os"
	"testing"
)

// Library opens the official LoadGen named by the environment variable PLUMBLINE_OFFICIAL_LIBRARY, which make
// test-official OF=loadgen sets. open must be official.Open. Without the variable, the test is skipped. Tests of
// packages that package official imports use Library, because package golden cannot import official.
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
