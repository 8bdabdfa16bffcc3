package main

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	table := newTable("throughput", "official", "ratio", "measured", "ratio")
	table.addRow("SingleStream", "M/s", []float64{9, 8, 10}, 0.6, []float64{0.25, 0.35})
	table.addRow("Server", "M/s", []float64{6.125}, 0, nil)
	var b strings.Builder
	if err := table.write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `| throughput   | ours                  | official | ratio | measured            | ratio |
|---           |---                    |---       |---    |---                  |---    |
| SingleStream | 9.00 (8.00 to 10.0) M/s | 0.6      | 15.0x | 0.3 (0.25 to 0.35) | 30.0x |
`
	got := strings.Split(b.String(), "\n")
	if len(got) < 4 || !strings.Contains(got[2], "9.00 (8.00 to 10.0) M/s") || !strings.Contains(got[2], "15.0x") ||
		!strings.Contains(got[2], "30.0x") {
		t.Errorf("table\n%s\nwant about\n%s", b.String(), want)
	}
	if strings.Contains(got[3], "x") {
		t.Errorf("a ratio without a figure to compare with: %s", got[3])
	}
}

func TestLessIsBetter(t *testing.T) {
	table := newTable("memory", "official", "ratio", "", "")
	table.lessIsBetter = true
	table.addRow("Offline", "bytes", []float64{20, 10}, 60, nil)
	if got := table.rows[0][3]; got != "4.00x" {
		t.Errorf("ratio %s, want 4.00x", got)
	}
}

// Every measurement runs, without Python and with a hundredth of the samples.
func TestMeasurements(t *testing.T) {
	o := options{runs: 1, quick: true}
	for _, w := range append(tokenWorkloads(), workloads...) {
		rate, err := w.measureRate(t.Context(), 2000, false)
		if err != nil || rate <= 0 {
			t.Errorf("%s: %v, %v", w.name, rate, err)
		}
	}
	if bytes, err := workloads[0].measureBytes(t.Context(), 2000); !errors.Is(err, fs.ErrNotExist) &&
		(err != nil || bytes <= 0) {
		t.Errorf("%v bytes, %v", bytes, err)
	}
	if ms, err := timeToFirstQuery(t.Context(), 2000); err != nil || ms <= 0 {
		t.Errorf("first query after %v ms, %v", ms, err)
	}
	if m, err := (serverRate{qps: 1e4}).measure(t.Context(), true, false); err != nil || m.p99 < m.p50 {
		t.Errorf("%+v, %v", m, err)
	}
	if p, delays, err := measurePauses(t.Context(), 2000); err != nil || len(delays) == 0 || len(p.issuing) > len(p.all) {
		t.Errorf("pauses %+v, %v", p, err)
	}
	if rates, err := o.pythonRates(t.Context(), workloads[0]); err != nil || rates != nil {
		t.Errorf("rates %v without an interpreter, %v", rates, err)
	}
	if err := run(t.Context(), options{runs: 1, only: []string{"throughputs"}}, ""); err == nil ||
		!strings.Contains(err.Error(), "throughput,first-query") {
		t.Errorf("an unknown section: %v", err)
	}
}
