package records

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

var columns = []TableColumn{
	{Name: "input"}, {Name: "tok_input", TokenIDs: true}, {Name: "output", Required: true}, {Name: "number"},
	{Name: "absent"},
}

var errKind = errors.New("table")

func read(t testing.TB, path string, limit int) (*RecordTable, error) {
	t.Helper()
	var faults fault.FaultList
	table, err := ReadTable(path, "table", columns, limit, &faults)
	if err != nil {
		return nil, err
	}
	return table, faults.Err(errKind, path)
}

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestForms reads one table as pyarrow and json wrote it: testdata/make.py.
func TestForms(t *testing.T) {
	for _, limit := range []int{0, 1, 3, 100, 1000} {
		want, err := read(t, filepath.Join("testdata", "table.json"), limit)
		if err != nil {
			t.Fatal(err)
		}
		if n := want.Len(); limit == 0 && n != 203 || limit > 0 && n != min(limit, 203) {
			t.Fatalf("limit %d: %d rows", limit, n)
		}
		if text := want.Text("output", 0); text != "Zürich 東京" || !slices.Equal(want.TokenIDs("tok_input", 0), []int32{1, 2,
			3}) {
			t.Errorf("the first row has %q, %v", text, want.TokenIDs("tok_input", 0))
		}
		for _, name := range []string{"table.parquet", "table-old.parquet"} {
			got, err := read(t, filepath.Join("testdata", name), limit)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, name, got, want)
		}
	}
}

func equal(t *testing.T, name string, got, want *RecordTable) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("%s: %d rows, want %d", name, got.Len(), want.Len())
	}
	for i := range want.Len() {
		for _, c := range []string{"input", "output", "number", "absent"} {
			if g, w := got.Text(c, i), want.Text(c, i); g != w {
				t.Errorf("%s: row %d: %s %q, want %q", name, i, c, g, w)
			}
		}
		if g, w := got.TokenIDs("tok_input", i), want.TokenIDs("tok_input", i); !slices.Equal(g, w) {
			t.Errorf("%s: row %d: ids %v, want %v", name, i, g, w)
		}
	}
}

func TestLines(t *testing.T) {
	table, err := read(t, write(t, " \n{\"output\":\"a\",\"tok_input\":[[5,6]]}\n\n{\"output\":12}"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != 2 || table.Text("output", 1) != "12" || !slices.Equal(table.TokenIDs("tok_input", 0), []int32{5,
		6}) ||
		table.Text("input", 0) != "" {
		t.Errorf("%+v", table)
	}
}

// TestLinesOfPython reads what json.dump writes, and editors put before it.
func TestLinesOfPython(t *testing.T) {
	for _, text := range []string{
		"\ufeff{\"output\": \"NaN\", \"tok_input\": [5]}", "{\"output\": \"NaN\", \"tok_input\": [5], \"input\": NaN}",
		"\ufeff[{\"output\": \"NaN\", \"more\": [-Infinity, NaN], \"tok_input\": [5], \"number\": Infinity}]",
	} {
		table, err := read(t, write(t, text), 0)
		if err != nil || table.Text("output", 0) != "NaN" || !slices.Equal(table.TokenIDs("tok_input", 0), []int32{5}) ||
			table.Text("input", 0) != "" || table.Text("number", 0) != "" {
			t.Errorf("%q: %+v, %v", text, table, err)
		}
	}
	if _, err := read(t, write(t, `{"output": NaN}`), 0); err == nil {
		t.Error("NaN for a text that is wanted is read")
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"empty", " \n", "it is empty"},
		{"no records", "[]", "no records"},
		{"a pickle", "\x80\x04", "convert.py"},
		{"something else", "id,output", `it starts with 'i'`},
		{"cut", `[{"output":"a"},{"outp`, "after 1 records"},
		{"no array end", `[{"output":"a"}`, "EOF"},
		{"no object", `[{"output":"a"}, 5]`, "record 1: \"5\" is no object"},
		{"no required column", `{"input":"a"}`, `no column "output"`},
		{"a value missing", `{"output":"a"}{"output":null}`, "record 1: output: it is missing"},
		{"no text", `{"output":["a"]}`, "record 0: output: found \"[\\\"a\\\"]\", want text"},
		{"no ids", `{"output":"a","tok_input":"1 2"}`, "record 0: tok_input"},
		{"fractions", `{"output":"a","tok_input":[1.5]}`, "want an array of token ids"},
		{"a negative id", `{"output":"a","tok_input":[4,-1]}`, "id -1 at place 1"},
		{"a large id", `{"output":"a","tok_input":[2147483648]}`, "want an array of token ids"},
		{"invalid UTF-8", "{\"output\":\"\xff\"}", "record 0: it is not UTF-8"},
		{"all at once", `{"output":5,"tok_input":7}{"output":true}`, "record 1: output"},
		{"damaged Parquet", "PAR1 no more", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := read(t, write(t, c.text), 0); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want one that says %q", err, c.says)
			}
		})
	}
	if _, err := read(t, filepath.Join(t.TempDir(), "none"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := read(t, "/dev/null", 0); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a device: %v", err)
	}
}

// TestGoldenLZ4 reads token ids that pandas wrote with compression="lz4": 518 in 24 rows, by pyarrow's reading. One
// whose page is damaged is an error.
func TestGoldenLZ4(t *testing.T) {
	for _, name := range []string{"lz4-ids-int32.parquet", "lz4-ids-not-noticed.parquet"} {
		table, err := read(t, filepath.Join("testdata", name), 0)
		if err != nil {
			t.Fatal(err)
		}
		count, sum, most := 0, 0, int32(0)
		for row := range table.Len() {
			ids := table.TokenIDs("tok_input", row)
			if len(ids) == 0 || ids[0] != 1 {
				t.Errorf("%s: row %d has %v, want 1 first", name, row, ids)
			}
			for _, id := range ids {
				count, sum, most = count+1, sum+int(id), max(most, id)
			}
		}
		if table.Len() != 24 || count != 518 || sum != 8_101_644 || most != 31_971 {
			t.Errorf("%s: %d rows, %d ids of %d in all, %d at most", name, table.Len(), count, sum, most)
		}
	}
	columns := []TableColumn{{Name: "question"}, {Name: "system_prompt"}, {Name: "tok_input", TokenIDs: true},
		{Name: "output"}}
	var faults fault.FaultList
	if _, err := ReadTable(filepath.Join("testdata", "lz4-damaged.parquet"), "", columns, 0, &faults); err == nil ||
		!strings.Contains(err.Error(), "it is damaged") {
		t.Errorf("the damaged file: %v", err)
	}
}

func TestParquetOfOtherTypes(t *testing.T) {
	var faults fault.FaultList
	for _, wrong := range []TableColumn{{Name: "tok_input"}, {Name: "input", TokenIDs: true}, {Name: "number",
		TokenIDs: true}} {
		if _, err := ReadTable(filepath.Join("testdata", "table.parquet"), "", []TableColumn{wrong}, 0,
			&faults); err == nil ||
			!strings.Contains(err.Error(), "column "+wrong.Name) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "table.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"output":"a"}`))
	path := filepath.Join(f.TempDir(), "table")
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte("PAR1")) {
			return
		}
		readAll(t, path, data)
	})
}

// readAll reads what there is to read in a file.
func readAll(t *testing.T, path string, data []byte) (*RecordTable, error) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := read(t, path, 0)
	if err != nil {
		return nil, err
	}
	for i := range table.Len() {
		table.Text("output", i)
		table.TokenIDs("tok_input", i)
	}
	return table, nil
}

// FuzzReadParquet cuts files that the library wrote, and changes a byte.
func FuzzReadParquet(f *testing.F) {
	type row struct {
		Input  string  `parquet:"input"`
		IDs    []int32 `parquet:"tok_input,list"`
		Output string  `parquet:"output,dict"`
	}
	f.Add("Zürich", int32(7), uint8(3), uint16(0), uint16(0), byte(0))
	f.Add("", int32(-1), uint8(0), uint16(9), uint16(5), byte(255))
	path := filepath.Join(f.TempDir(), "table")
	f.Fuzz(func(t *testing.T, text string, id int32, rows uint8, cut, at uint16, change byte) {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b)
		for i := range rows {
			if _, err := w.Write([]row{{text, slices.Repeat([]int32{id}, int(i%3)), text}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		data := b.Bytes()[:max(0, b.Len()-int(cut))]
		if n := len(data) - 1 - int(at); n >= 0 {
			data[n] ^= change
		}
		table, err := readAll(t, path, data)
		whole := cut == 0 && change == 0 && rows > 0 && utf8.ValidString(text) && (id >= 0 || rows < 2)
		if whole && (err != nil || table.Len() != int(rows) || table.Text("output", 0) != text) {
			t.Errorf("%d rows of %q: %v", rows, text, err)
		}
	})
}

// TestParquetFooterBeyondTheFile holds that no memory is taken for what a file only says.
func TestParquetFooterBeyondTheFile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "table.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	copy(data[len(data)-8:], "\xff\xff\xff\xff")
	if _, err := read(t, write(t, string(data)), 0); err == nil ||
		!strings.Contains(err.Error(), "footer of 4294967295 bytes") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkReadJSON(b *testing.B) {
	line := `{"input":"` + strings.Repeat("word ", 200) + `","tok_input":[` + strings.Repeat("12345,", 299) +
		`1],"output":"` + strings.Repeat("word ", 60) + `"}` + "\n"
	path := write(b, strings.Repeat(line, 2000))
	b.SetBytes(int64(2000 * len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read(b, path, 0); err != nil {
			b.Fatal(err)
		}
	}
}
