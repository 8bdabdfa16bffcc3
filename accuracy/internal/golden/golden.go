// Package golden finds the golden cases of this project's tests: what the reference tools gave for inputs made for the purpose.
package golden

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Each runs check as one subtest for each file that matches pattern, a slash-separated path below the folder of cases: first
// the cases in the package's testdata/golden, then the full set that PLUMBLINE_GOLDEN names, by default ../shared/golden from
// the project's root. It reports a skip where the full set is absent, and an error where a set has no such file.
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

// roots are the cases of this checkout and, where it is present, the full set beside it.
func roots(t *testing.T) []string {
	t.Helper()
	own := []string{filepath.Join("testdata", "golden")}
	shared := os.Getenv("PLUMBLINE_GOLDEN")
	if shared == "" {
		shared = filepath.Join(projectRoot(t), "..", "shared", "golden")
	}
	if _, err := os.Stat(shared); err != nil {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
		return own
	}
	return append(own, shared)
}

func projectRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.work above the test's folder")
		}
	}
}

// AddLog calls add with the entries of the accuracy log in a case's folder.
func AddLog(t testing.TB, dir string, add func(index uint64, payload []byte) error) {
	t.Helper()
	var entries []struct {
		Index uint64 `json:"qsl_idx"`
		Data  string
	}
	ReadJSON(t, filepath.Join(dir, "mlperf_log_accuracy.json"), &entries)
	for _, e := range entries {
		payload, err := hex.DecodeString(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if err := add(e.Index, payload); err != nil {
			t.Fatal(err)
		}
	}
}
