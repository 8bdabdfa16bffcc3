// Package golden finds the references of LoadGen's tests: golden data and the official LoadGen. The LoadGen module
// requires no other module, not even for its tests, so the other modules have their own package for golden data.
package golden

import (
	"errors"
	"testing"
)

// Root returns the folder of golden data: the folder in PLUMBLINE_GOLDEN, or ../shared/golden relative to the folder
// with go.work, or the workspace's unpacked cases. It skips the test if LoadGen is tested outside the workspace.
func Root(t testing.TB) string {
	t.Helper()
	root, err := findCases()
	switch {
	case errors.Is(err, errAlone):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return root
}
