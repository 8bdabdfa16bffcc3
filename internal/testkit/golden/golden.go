// Package golden finds the golden cases for the tests of all modules, the outputs of the reference tools for prepared
// inputs.
//
//	golden.Each(t, "scorers/imagenet/*/expected.json", func(t *testing.T, path string) {
//		golden.ReadJSON(t, path, &want)
//		golden.AddLog(t, filepath.Dir(path), scorer.Add)
//	})
//
// In scope: the folders of cases, a subtest for each case, reading its JSON and its accuracy log. Out of scope: the
// meaning of a case (the test).
package golden

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// ownFolder is the folder with a package's own cases.
const ownFolder = "testdata/golden"

// Each runs check as one subtest for each file that matches pattern, a slash-separated path below the folder of cases.
// It begins with the cases in the package's testdata/golden, if there are any, and continues with the full set, which
// Root finds. If the full set contains no such file, Each reports an error; outside of the workspace it skips the full
// set.
func Each(t *testing.T, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	EachBelow(t, ownFolder, pattern, check)
}

// EachBelow is like Each, with cases of the checkout in another package's folder. That folder must contain some.
func EachBelow(t *testing.T, folder, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	if each(t, folder, pattern, check) == 0 && folder != ownFolder {
		t.Errorf("no %s below %s", pattern, folder)
	}
	root, err := findCases()
	switch {
	case errors.Is(err, errAlone):
		t.Run("full", func(t *testing.T) { t.Skip(err) })
	case err != nil:
		t.Error(err)
	case each(t, root, pattern, check) == 0:
		t.Errorf("no %s below %s", pattern, root)
	}
}

// EachOwn is like EachBelow for cases that the packed set lacks. The folder must contain some; the full set may contain
// more.
func EachOwn(t *testing.T, folder, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	if each(t, folder, pattern, check) == 0 {
		t.Errorf("no %s below %s", pattern, folder)
	}
	if root, err := findCases(); err == nil {
		each(t, root, pattern, check)
	} else if !errors.Is(err, errAlone) {
		t.Error(err)
	}
}

// each returns the number of files.
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

// Root returns the folder of the full set of cases: the one in PLUMBLINE_GOLDEN, or ../shared/golden next to the folder
// with go.work, or the unpacked packed cases. If a module is tested outside of the workspace, Root skips the test.
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

// ReadLines decodes a file of JSON lines, or fails the test. The file may be compressed with gzip, according to its
// name. A file without lines is an error.
func ReadLines[T any](t testing.TB, path string) (all []T) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r io.Reader = bytes.NewReader(data)
	if filepath.Ext(path) == ".gz" {
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	for d := json.NewDecoder(r); ; {
		var v T
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: line %d: %v", path, len(all)+1, err)
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no lines", path)
	}
	return all
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
