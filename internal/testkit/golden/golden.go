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

// own is where a package keeps cases of its own.
const own = "testdata/golden"

// Each runs check as one subtest for each file that matches pattern, a slash-separated path below the folder of cases:
// first the cases in the package's testdata/golden, if it has such, then the full set, which Root finds. It reports
// an error where the full set has no such file, and a skip where a module is tested outside of the workspace.
func Each(t *testing.T, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	EachBelow(t, own, pattern, check)
}

// EachBelow is Each with cases of the checkout that lie in another package's folder, which must have some.
func EachBelow(t *testing.T, folder, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	if each(t, folder, pattern, check) == 0 && folder != own {
		t.Errorf("no %s below %s", pattern, folder)
	}
	root, err := find()
	switch {
	case errors.Is(err, errAlone):
		t.Run("full", func(t *testing.T) { t.Skip(err) })
	case err != nil:
		t.Error(err)
	case each(t, root, pattern, check) == 0:
		t.Errorf("no %s below %s", pattern, root)
	}
}

// EachOwn is EachBelow for cases that the packed set lacks: the folder has some, and the full set may have more.
func EachOwn(t *testing.T, folder, pattern string, check func(t *testing.T, path string)) {
	t.Helper()
	if each(t, folder, pattern, check) == 0 {
		t.Errorf("no %s below %s", pattern, folder)
	}
	if root, err := find(); err == nil {
		each(t, root, pattern, check)
	} else if !errors.Is(err, errAlone) {
		t.Error(err)
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

// Root is the folder of the full set of cases: what PLUMBLINE_GOLDEN names, or else ../shared/golden from the folder
// with go.work, or else the packed ones, unpacked. Where a module is tested outside of the workspace, the test is
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

// ReadLines decodes a file of JSON lines, which gzip may have packed if its name says so, or fails the test; it does so
// where there are no lines, too.
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
