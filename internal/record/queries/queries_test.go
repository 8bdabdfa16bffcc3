package queries

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// made is a source of artificial samples: latencies of 1 to n µs, the last one unanswered.
type made struct {
	n      int
	tokens bool
}

func (m made) Samples() int         { return m.n }
func (m made) SamplesPerQuery() int { return 1 }
func (m made) HasTokens() bool      { return m.tokens }

func (m made) Slot(i int) loadgen.Slot {
	due := int64(i) * 10_000
	s := loadgen.Slot{Sample: uint64(i), Query: uint64(i), Index: loadgen.SampleIndex(i), Scheduled: due, Issued: due + 5,
		Done: due + int64(i+1)*1000}
	if m.tokens {
		s.FirstToken, s.Tokens = due+100, 7
	}
	if i == m.n-1 {
		s.Done, s.FirstToken, s.Tokens = -1, 0, 0
	}
	return s
}

func written(t *testing.T, f export.Format, m made) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, export.Of(m, 0).Named(runName)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const runName = "mine: resnet50 Server performance batch=4, backend=ort (2 of 3)"

// TestParquetIsTheCSV reads the columns by their names in the file, like another program, and compares with the CSV.
func TestParquetIsTheCSV(t *testing.T) {
	for _, m := range []made{{n: 3}, {n: rowGroup + 5}, {n: 40, tokens: true}} {
		text := written(t, Parquet(), m)
		file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		rows := parquet.NewReader(file)
		want := csv.NewReader(bytes.NewReader(written(t, export.CSV(), m)))
		header, err := want.Read()
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.n {
			got := map[string]any{}
			if err := rows.Read(&got); err != nil {
				t.Fatalf("row %d: %v", i, err)
			}
			line, err := want.Read()
			if err != nil {
				t.Fatal(err)
			}
			for j, name := range header {
				if text := number(got[name]); text != line[j] {
					t.Fatalf("row %d: %s is %q, want %q", i, name, text, line[j])
				}
			}
		}
		if err := rows.Read(&map[string]any{}); !errors.Is(err, io.EOF) {
			t.Errorf("behind the last row: %v", err)
		}
	}
}

// number returns a value of a column as text, or an empty text.
func number(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case uint32:
		return strconv.FormatUint(uint64(v), 10)
	case int32:
		return strconv.FormatInt(int64(v), 10)
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// TestHDRHasThePercentiles reads the text line by line. Latencies of 1 to 9999 µs have known percentiles.
func TestHDRHasThePercentiles(t *testing.T) {
	text := string(written(t, HDR(), made{n: 10_000}))
	lines := bufio.NewScanner(strings.NewReader(text))
	found := 0
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 || fields[0] == "Value" || strings.HasPrefix(fields[0], "#") {
			continue
		}
		value, err1 := strconv.ParseFloat(fields[0], 64)
		p, err2 := strconv.ParseFloat(fields[1], 64)
		if err1 != nil || err2 != nil {
			t.Fatal(lines.Text())
		}
		if want := math.Max(1, math.Ceil(p*9999)) / 1000; math.Abs(value-want) > 0.001*want+0.0011 {
			t.Errorf("percentile %v is %v ms, want %v", p, value, want)
		}
		found++
	}
	if found < 20 || !strings.Contains(text, "Total count    =         9999]") ||
		!strings.HasSuffix(text, "\n#[Run = "+runName+"]\n") {
		t.Errorf("%d percentiles in:\n%s", found, text)
	}
}

func TestNothingWasAnswered(t *testing.T) {
	for _, f := range []export.Format{Parquet(), HDR()} {
		if text := written(t, f, made{n: 1}); len(text) == 0 {
			t.Errorf("%s is empty", f.Name)
		}
	}
}

func TestFormats(t *testing.T) {
	all, err := Formats([]string{"csv", "queries.jsonl", "parquet", "queries.hdr"})
	if err != nil || len(all) != len(export.Names()) {
		t.Errorf("%d formats, %v", len(all), err)
	}
	for _, names := range [][]string{{"csv", "queries.csv"}, {"cvs"}, {""}, {"out/queries.csv"}} {
		if _, err := Formats(names); err == nil {
			t.Errorf("%q: no error", names)
		}
	}
}

func TestAFullDiskIsAnError(t *testing.T) {
	for _, f := range []export.Format{Parquet(), HDR()} {
		if err := f.Write(full{}, export.Of(made{n: 100}, 0)); err == nil {
			t.Errorf("%s: no error", f.Name)
		}
	}
}

// full is a disk without free space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func BenchmarkParquet(b *testing.B) { benchmark(b, Parquet()) }
func BenchmarkHDR(b *testing.B)     { benchmark(b, HDR()) }

// benchmark writes a million samples.
func benchmark(b *testing.B, f export.Format) {
	b.ReportAllocs()
	for b.Loop() {
		if err := f.Write(io.Discard, export.Of(made{n: 1_000_000}, 0).Named(runName)); err != nil {
			b.Fatal(err)
		}
	}
}
