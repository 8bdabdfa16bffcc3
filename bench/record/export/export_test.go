package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// made is a source of made-up samples, the last of which has no answer.
type made struct {
	n, per int
	tokens bool
}

func (m made) Samples() int         { return m.n }
func (m made) SamplesPerQuery() int { return m.per }
func (m made) HasTokens() bool      { return m.tokens }

func (m made) Slot(i int) loadgen.Slot {
	due := int64(i/m.per) * 1000
	s := loadgen.Slot{Sample: uint64(i), Query: uint64(i / m.per), Index: loadgen.SampleIndex(i % 7), Scheduled: due,
		Issued: due + 1, Done: due + 500 + int64(i)}
	if m.tokens {
		s.FirstToken, s.Tokens = due+100, 33
	}
	if i == m.n-1 {
		s.Done, s.FirstToken, s.Tokens = -1, 0, 0
	}
	return s
}

func sources() map[string]made {
	return map[string]made{
		"server": {n: 100, per: 1}, "streams": {n: 64, per: 8}, "offline": {n: 50, per: 50},
		"tokens": {n: 30, per: 1, tokens: true}, "one": {n: 1, per: 1},
	}
}

// want returns the expected columns of row i.
func (m made) want(i int) []string {
	s := m.Slot(i)
	text := func(v int64) string { return strconv.FormatInt(v, 10) }
	row := []string{text(int64(s.Query)), text(int64(s.Sample)), text(int64(s.Index)), text(s.Scheduled), text(s.Issued),
		"", "", "", "", ""}
	if s.FirstToken > 0 {
		row[5] = text(s.FirstToken)
	}
	if s.Done >= 0 {
		row[6], row[7] = text(s.Done), text(s.Done-s.Scheduled)
		if m.tokens {
			row[8] = text(int64(s.Tokens))
		}
	}
	return row
}

func written(t *testing.T, f Format, s Samples) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCSV(t *testing.T) {
	for name, m := range sources() {
		rows, err := csv.NewReader(bytes.NewReader(written(t, CSV(), Of(m, 0)))).ReadAll()
		if err != nil || len(rows) != m.n+1 || !slices.Equal(rows[0], Columns()) {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		for i, row := range rows[1:] {
			if !slices.Equal(row, m.want(i)) {
				t.Errorf("%s: row %d is %v, want %v", name, i, row, m.want(i))
			}
		}
	}
}

// TestNamesOfRuns checks that each row contains the name of its run, whatever the name is.
func TestNamesOfRuns(t *testing.T) {
	for name, want := range map[string]string{
		"resnet50 Server performance batch=4, backend=ort (2 of 3)": "",
		`a "quoted", two` + "\nlines":                               "", "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
		"@x": "'@x", "": "",
	} {
		s := Of(made{n: 3, per: 1}, 0).Named(name)
		rows, err := csv.NewReader(bytes.NewReader(written(t, CSV(), s))).ReadAll()
		if want == "" {
			want = name
		}
		if err != nil || len(rows) != 4 || rows[3][len(Columns())-1] != want {
			t.Errorf("%q: %q, %v", name, rows, err)
		}
		var row struct{ Run string }
		if err := json.NewDecoder(bytes.NewReader(written(t, JSONL(), s))).Decode(&row); err != nil || row.Run != name {
			t.Errorf("%q: %q, %v", name, row.Run, err)
		}
	}
}

func TestJSONL(t *testing.T) {
	for name, m := range sources() {
		d := json.NewDecoder(bytes.NewReader(written(t, JSONL(), Of(m, 0))))
		d.UseNumber()
		for i := range m.n {
			var object map[string]any
			if err := d.Decode(&object); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for j, c := range Columns() {
				got := ""
				if v, ok := object[c]; !ok {
					t.Errorf("%s: row %d has no %s", name, i, c)
				} else if v != nil {
					got = fmt.Sprint(v)
				}
				if got != m.want(i)[j] {
					t.Errorf("%s: row %d has %s %q, want %q", name, i, c, got, m.want(i)[j])
				}
			}
		}
		if d.More() {
			t.Errorf("%s: more than %d rows", name, m.n)
		}
	}
}

// TestMostRows checks that whole queries are selected at equal distances and that the maximum number of rows is not
// exceeded.
func TestMostRows(t *testing.T) {
	for _, c := range []struct {
		m                made
		most, step, rows int
	}{
		{made{n: 100, per: 1}, 100, 1, 100},
		{made{n: 100, per: 1}, 99, 2, 50},
		{made{n: 100, per: 1}, 10, 10, 10},
		{made{n: 100, per: 1}, 1, 100, 1},
		{made{n: 80, per: 8}, 24, 4, 24},
		{made{n: 80, per: 8}, 3, 10, 8}, // a query is not split
		{made{n: 50, per: 50}, 10, 5, 10},
		{made{n: DefaultRows + 1, per: 1}, 0, 2, DefaultRows/2 + 1},
	} {
		s, rows := Of(c.m, c.most), 0
		for r := range s.Rows() {
			if int(r.Sample)/s.samplesPerStep()%c.step != 0 {
				t.Fatalf("%+v: sample %d", c, r.Sample)
			}
			rows++
		}
		if s.Step() != c.step || rows != c.rows {
			t.Errorf("%+v: every %dth, %d rows", c, s.Step(), rows)
		}
	}
}

// full is a full disk.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAFullDiskIsAnError(t *testing.T) {
	for _, f := range []Format{CSV(), JSONL()} {
		for _, n := range []int{1, 20_000} {
			if err := f.Write(full{}, Of(made{n: n, per: 1}, 0)); !errors.Is(err, errFull) {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, f := range []Format{CSV(), JSONL()} {
		if !slices.Contains(Names(), f.Name) || !strings.HasPrefix(f.Name, "queries.") {
			t.Error(f.Name)
		}
	}
}

func BenchmarkCSV(b *testing.B)   { benchmark(b, CSV()) }
func BenchmarkJSONL(b *testing.B) { benchmark(b, JSONL()) }

// benchmark writes a million samples.
func benchmark(b *testing.B, f Format) {
	b.ReportAllocs()
	for b.Loop() {
		var size counter
		if err := f.Write(&size, Of(made{n: 1_000_000, per: 1}, 0).Named("resnet50 Server performance")); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(size))
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
