// Package golden finds the references of LoadGen's tests: golden data, and the official LoadGen itself. The other
// modules have another package for golden data, because the LoadGen module requires no other module, not even for its
// tests.
package golden

import (
	"errors"
	"testing"
)

// Root is the folder of golden data: what PLUMBLINE_GOLDEN names, or else ../shared/golden from the folder with
// go.work, or else the workspace's packed ones, unpacked. Where LoadGen is tested outside of the workspace, the test is
// skipped.
func Root(t testing.TB) string {
	t.Helper()
	root, err := find()
	switch {
	case errors.Is(err, errAlone):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return root
}
