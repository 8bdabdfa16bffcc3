package mllog_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

func scan(t *testing.T, text string) *mllog.Detail {
	t.Helper()
	d, err := mllog.ScanDetail(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func line(key string, value any) string {
	return string(mllog.AppendDetail(nil, mllog.DetailEntry{Key: key, Value: value, File: "f"}))
}

func TestScanDetailGathersByKey(t *testing.T) {
	failed := mllog.DetailEntry{Key: "error_runtime", Value: "x", Error: true, File: "f"}
	d := scan(t, line("a", 1)+line("a", 2)+line("loaded_qsl_set", []uint64{5, 6})+
		string(mllog.AppendDetail(nil, failed)))
	if e, ok := d.First("a"); !ok || e.Value != uint64(1) || d.Count("a") != 2 || len(d.All("a")) != 2 {
		t.Errorf("a: got first %v, %d entries; want 1, 2", e.Value, d.Count("a"))
	}
	if d.NumErrors != 1 || len(d.Errors) != 1 || !d.Has("loaded_qsl_set") || d.Has("b") {
		t.Errorf("got %+v", d)
	}
}

func TestScanDetailGoesOnAfterFaults(t *testing.T) {
	d := scan(t, "hello\n"+line("a", 1)+":::MLLOG {\"key\": \n"+line("b", "\xff")+strings.TrimSuffix(line("c", 3), "\n"))
	if !slices.Equal(d.Foreign, []int{1}) || d.NumFaults != 1 || d.Faults[0].Line != 3 || d.NotUTF8 != 4 ||
		!d.Open || d.CRLF || !d.Has("c") {
		t.Errorf("got %+v", d)
	}
	if d := scan(t, strings.ReplaceAll(line("a", 1), "\n", "\r\n")); !d.CRLF || d.Open || !d.Has("a") {
		t.Errorf("carriage returns: got %+v", d)
	}
}

func TestScanDetailTakesRewrittenJSON(t *testing.T) {
	d := scan(t, `:::MLLOG {"value": [1, 2], "key": "list", "metadata": {"is_error": true}}`+"\n"+
		`:::MLLOG {"key": "n", "value": NaN, "time_ms": 0.000000, "namespace": "mlperf::logging", `+
		`"event_type": "POINT_IN_TIME", "metadata": {"is_error": false, "is_warning": false, "file": "", `+
		`"line_no": 1, "pid": 1, "tid": 1}}`+"\n"+`:::MLLOG {"key": "none", "value": null}`+"\n")
	if e, _ := d.First("list"); !e.Error || len(e.Value.([]uint64)) != 2 {
		t.Errorf("list: got %+v", e)
	}
	if e, _ := d.First("n"); !math.IsNaN(e.Value.(float64)) {
		t.Errorf("n: got %+v", e)
	}
	if e, ok := d.First("none"); !ok || e.Value != nil || d.NumFaults != 0 {
		t.Errorf("none: got %+v, faults %v", e, d.Faults)
	}
}

func FuzzScanDetail(f *testing.F) {
	f.Add(line("a", 1) + "x\n:::MLLOG {\n" + `:::MLLOG {"key": "k", "value": {"a": "b"}}`)
	f.Add(`:::MLLOG {"key": "loaded_qsl_set", "value": [1,2]`)
	f.Fuzz(func(t *testing.T, text string) {
		d := scan(t, text)
		if d.NumForeign+d.NumFaults > d.Lines || len(d.Errors) > d.NumErrors {
			t.Errorf("%q: got %+v", text, d)
		}
	})
}
