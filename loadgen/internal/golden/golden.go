// Package golden finds the golden data of LoadGen's tests. The other modules have the module internal for that: LoadGen
// requires no module at all, not even for its tests, so that whoever uses it needs none either.
package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// Root is the folder of golden data: what PLUMBLINE_GOLDEN names, by default ../shared/golden from the folder with
// go.work. Where it is absent, the test is skipped.
func Root(t *testing.T) string {
	t.Helper()
	root := os.Getenv("PLUMBLINE_GOLDEN")
	if root == "" {
		root = filepath.Join(workspace(t), "..", "shared", "golden")
	}
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no golden data (PLUMBLINE_GOLDEN names their folder): %v", err)
	}
	return root
}

// workspace is the folder of go.work above the test, or the file system's root.
func workspace(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
	}
	return dir
}
