// Package golden finds cases that reference tools have made, and replays their logs: whoever writes a plugin holds its
// scorer and its preprocessing to them.
//
//	golden.Each(t, "scorers/imagenet/*/expected.json", func(t *testing.T, path string) {
//		golden.ReadJSON(t, path, &want)
//		got := golden.Score(t, scorer, filepath.Join(filepath.Dir(path), "mlperf_log_accuracy.json"))
//	})
//
// In: where cases lie, one subtest for each of them, reading their JSON, scoring their logs.
// Out: what a case means (the test).
package golden

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// own is where a package keeps cases of its own.
const own = "testdata/golden"

// Each runs check as one subtest for each file that matches pattern, a slash-separated path below the folder of cases: first
// the cases in the package's testdata/golden, if it has such, then the full set that PLUMBLINE_GOLDEN names, by default
// ../shared/golden from the folder with go.work. It reports a skip where the full set is absent, and an error where it has no
// such file.
func Each(t *testing.T, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	EachBelow(t, own, pattern, check)
}

// EachBelow is Each with cases of the checkout that lie in another package's folder.
func EachBelow(t *testing.T, folder, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	each(t, folder, pattern, check)
	shared := full(t)
	if _, err := os.Stat(shared); err != nil {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
		return
	}
	if each(t, shared, pattern, check) == 0 {
		t.Errorf("no %s below %s", pattern, shared)
	}
}

// each returns how many files there are.
func each(t *testing.T, root, pattern string, check func(t *testing.T, path string)) int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) { check(t, path) })
	}
	return len(paths)
}

// full is the folder of the full set.
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

// Score adds every entry of an accuracy log to s and returns its result, or fails the test.
func Score(t testing.TB, s sdk.Scorer, log string) sdk.Score {
	t.Helper()
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := mllog.NewAccuracyReader(f)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err := errors.Join(err, s.Add(e)); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return score
}
