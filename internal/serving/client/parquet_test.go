package client

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

type said struct {
	From  string `parquet:"from"`
	Value string `parquet:"value,optional"`
}

type everything struct {
	ID     *int32    `parquet:"id,optional"`
	Text   string    `parquet:"text,dict"`
	Said   []said    `parquet:"conversations,list"`
	Bare   []int64   `parquet:"hash_ids"`
	Nested [][]int32 `parquet:"nested,list"`
	At     time.Time `parquet:"timestamp,timestamp(microsecond)"`
	Share  float64   `parquet:"share"`
	Raw    []byte    `parquet:"raw"`
	Big    uint64    `parquet:"big"`
	Yes    bool      `parquet:"yes"`
}

func writeParquet(t testing.TB, rows []everything) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[everything](f, parquet.MaxRowsPerRowGroup(3), parquet.PageBufferSize(64))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func rowsOfFile(t testing.TB, path string, want func(string) bool) []string {
	t.Helper()
	table, err := OpenParquet(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	var rows []string
	for row, err := range table.Rows(want) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(row))
	}
	return rows
}

func all(string) bool { return true }

func TestParquetRows(t *testing.T) {
	seven := int32(7)
	at := time.UnixMicro(1_500_000)
	path := writeParquet(t, []everything{
		{ID: &seven, Text: "a \"b\"", Said: []said{{"human", "x"}, {"gpt", ""}}, Bare: []int64{1, 2}, At: at, Share: 0.5,
			Nested: [][]int32{{1, 2}, {}, {3}}, Raw: []byte{0xff, 0}, Big: 1 << 63, Yes: true},
		{Text: "ü", At: at},
		{Text: "z", Said: []said{{"human", "y"}}, Bare: []int64{3}, At: at, Nested: [][]int32{{4}}},
		{Text: "another group", At: at},
	})
	want := []string{
		`{"id":7,"text":"a \"b\"","conversations":[{"from":"human","value":"x"},{"from":"gpt","value":null}],` +
			`"hash_ids":[1,2],"nested":[[1,2],[],[3]],"timestamp":1500,"share":0.5,"raw":"/wA=",` +
			`"big":9223372036854775808,"yes":true}`,
		`{"id":null,"text":"ü","conversations":[],"hash_ids":[],"nested":[],"timestamp":1500,"share":0,"raw":"",` +
			`"big":0,"yes":false}`,
		`{"id":null,"text":"z","conversations":[{"from":"human","value":"y"}],"hash_ids":[3],"nested":[[4]],` +
			`"timestamp":1500,"share":0,"raw":"","big":0,"yes":false}`,
		`{"id":null,"text":"another group","conversations":[],"hash_ids":[],"nested":[],"timestamp":1500,"share":0,` +
			`"raw":"","big":0,"yes":false}`,
	}
	got := rowsOfFile(t, path, all)
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i, text := range got {
		var a, b map[string]any
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := json.Unmarshal([]byte(want[i]), &b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("row %d:\n%s\nwant\n%s", i, text, want[i])
		}
	}
	if got := rowsOfFile(t, path, func(c string) bool { return c == "text" }); got[1] != `{"text":"ü"}` {
		t.Errorf("one column: %s", got[1])
	}
}

// TestGoldenLZ4 reads a file that pandas wrote with compression="lz4": max_tokens of row i is i+2.
func TestGoldenLZ4(t *testing.T) {
	rows := rowsOfFile(t, filepath.Join("testdata", "lz4-bench-max_tokens.parquet"), func(c string) bool {
		return c == "max_tokens"
	})
	for i, row := range rows {
		if want := fmt.Sprintf(`{"max_tokens":%d}`, i+2); row != want {
			t.Fatalf("row %d is %s, want %s", i, row, want)
		}
	}
	if len(rows) != 400 {
		t.Errorf("%d rows, want 400", len(rows))
	}
}

// TestDamagedParquet reads a file that is cut, or has a wrong byte, at every place: it may say anything but panic.
func TestDamagedParquet(t *testing.T) {
	whole, err := os.ReadFile(writeParquet(t, []everything{
		{Text: "a", Said: []said{{"human", "x"}, {"gpt", "y"}}, Bare: []int64{1, 2}}, {Text: "b"}}))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.parquet")
	read := func(data []byte) error {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := OpenParquet(path)
		if err != nil {
			return err
		}
		defer func() { _ = table.Close() }()
		for _, err := range table.Rows(all) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		if i%16 == 0 {
			if err := read(whole[:i]); err == nil {
				t.Errorf("cut after %d bytes: no error", i)
			}
		}
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x55
		_ = read(damaged)
	}
	if err := read([]byte("PAR1\xff\xff\xff\x7fPAR1")); err == nil || !strings.Contains(err.Error(), "footer") {
		t.Errorf("a footer larger than the file: %v", err)
	}
}

// FuzzParquet: a file is read, each row as valid JSON, or it is an error.
func FuzzParquet(f *testing.F) {
	whole, err := os.ReadFile(writeParquet(f, []everything{
		{Text: "a", Said: []said{{"human", "x"}, {"gpt", "y"}}, Bare: []int64{1, 2}, Nested: [][]int32{{1}, {}}},
		{Text: "b"}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.parquet")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := OpenParquet(path)
		if err != nil {
			return
		}
		defer func() { _ = table.Close() }()
		n := 0
		for row, err := range table.Rows(all) {
			if n++; err != nil || n > 1000 {
				return
			}
			if !json.Valid(row) {
				t.Fatalf("no JSON: %s", row)
			}
		}
	})
}
