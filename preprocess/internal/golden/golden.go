// Package golden finds the golden cases of this project's tests: what the reference tools gave for inputs made for the purpose.
package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// own is where a package keeps cases of its own.
const own = "testdata/golden"

// Each runs check as one subtest for each file that matches pattern, a slash-separated path below the folder of cases: first
// the cases in the package's testdata/golden, if it has any, then the full set that PLUMBLINE_GOLDEN names, by default
// ../shared/golden from the project's root. It reports a skip where the full set is absent, and an error where a set has no such file.
func Each(t *testing.T, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	for _, root := range roots(t) {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 {
			t.Errorf("no %s below %s", pattern, root)
		}
		for _, path := range paths {
			t.Run(path, func(t *testing.T) { check(t, path) })
		}
	}
}

// ReadJSON decodes a file into v, or fails the test.
func ReadJSON(t testing.TB, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Root is the folder of the full set of cases, or the test is skipped.
func Root(t *testing.T) string {
	t.Helper()
	root := full(t)
	if _, err := os.Stat(root); err != nil {
		t.Skipf("the full set of cases is not there: %v", err)
	}
	return root
}

// roots are the cases of this checkout and, where it is present, the full set beside it.
func roots(t *testing.T) []string {
	t.Helper()
	var found []string
	if _, err := os.Stat(own); err == nil {
		found = append(found, own)
	}
	shared := full(t)
	if _, err := os.Stat(shared); err != nil {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
		return found
	}
	return append(found, shared)
}

// full is where the full set of cases is, if it is there.
func full(t *testing.T) string {
	t.Helper()
	if shared := os.Getenv("PLUMBLINE_GOLDEN"); shared != "" {
		return shared
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return filepath.Join(dir, "..", "shared", "golden")
		}
	}
	t.Fatal("no go.work above the test's folder")
	return ""
}
