package parquetfile

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// golden returns the files of testdata/golden.tar.zst by their names. The README there describes them.
var golden = sync.OnceValues(func() (map[string][]byte, error) {
	f, err := os.Open(filepath.Join("testdata", "golden.tar.zst"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	unpacked, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer unpacked.Close()
	files := map[string][]byte{}
	for in := tar.NewReader(unpacked); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if files[h.Name], err = io.ReadAll(in); err != nil {
			return nil, err
		}
	}
})

func goldenFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := golden()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// values returns the expected values of each column, a JSON document for each row.
func values(t *testing.T, data []byte) map[string][]any {
	t.Helper()
	all := map[string][]any{}
	for in := json.NewDecoder(bytes.NewReader(data)); in.More(); {
		var line struct {
			Column string
			Values []any
		}
		in.UseNumber()
		if err := in.Decode(&line); err != nil {
			t.Fatal(err)
		}
		all[line.Column] = line.Values
	}
	return all
}

// TestGolden reads files by pyarrow, DuckDB and Polars, in every compression, version of pages, encoding and type, with
// nulls, lists and structures, and compares them value by value with pyarrow's values.
func TestGolden(t *testing.T) {
	files := goldenFiles(t)
	want := map[string]map[string][]any{
		"plain": values(t, files["values-plain.jsonl"]), "nulls": values(t, files["values-nulls.jsonl"]),
	}
	n, compared := 0, 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		base, isParquet := strings.CutSuffix(name, ".parquet")
		if !isParquet {
			continue
		}
		n++
		_, kind, _ := strings.Cut(base, ".")
		t.Run(base, func(t *testing.T) { compared += compare(t, files[name], want[kind]) })
	}
	if n != 181 || compared < 300_000 {
		t.Errorf("%d files with %d values, want 181 with more than 300,000", n, compared)
	}
}

// compare compares a file with the values of its columns. It returns the number of values.
func compare(t *testing.T, data []byte, want map[string][]any) (compared int) {
	t.Helper()
	f, err := New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for object, err := range f.RowObjects(func(string) bool { return true }) {
		if err != nil {
			t.Fatalf("row %d: %v", row, err)
		}
		var got map[string]any
		in := json.NewDecoder(bytes.NewReader(object))
		in.UseNumber()
		if err := in.Decode(&got); err != nil {
			t.Fatalf("row %d: %v: %.200s", row, err, object)
		}
		for _, column := range f.ColumnNames() {
			if wanted := want[column][row]; !same(got[column], wanted) {
				t.Fatalf("row %d: column %s is %v, want %v", row, column, got[column], wanted)
			}
			compared++
		}
		row++
	}
	if int64(row) != f.RowCount() || row != len(want["text"]) {
		t.Errorf("%d rows of %d, want %d", row, f.RowCount(), len(want["text"]))
	}
	return compared
}

// same compares two JSON documents: numbers by their values, decimals by their digits.
func same(got, want any) bool {
	switch w := want.(type) {
	case json.Number:
		g, ok := got.(json.Number)
		if !ok {
			return false
		}
		if strings.Trim(w.String(), "-0123456789") == "" { // an integer
			a, _ := g.Float64()
			b, _ := w.Float64()
			return g == w || strings.ContainsAny(g.String(), ".") && a == b
		}
		a, errA := g.Float64()
		b, errB := w.Float64()
		return errA == nil && errB == nil && a == b
	case map[string]any:
		if digits, ok := w["decimal"]; ok {
			g, ok := got.(json.Number)
			return ok && g.String() == digits
		}
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for k := range w {
			if !same(g[k], w[k]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(g, w, same)
	}
	return reflect.DeepEqual(got, want)
}
