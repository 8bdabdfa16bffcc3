package mllog_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
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

// TestScanDetailReadsJSON checks that an entry in JSON has the meaning that JSON parsers give it, and that limits of
// common parsers are reported.
func TestScanDetailReadsJSON(t *testing.T) {
	const tail = `, "metadata": {"is_error": false}}` + "\n"
	deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	for text, want := range map[string]struct {
		value                     any
		notJSON, unmarked, faults int
		broken, foreign           bool
	}{
		line("k", "C:/x"):    {value: "C:/x"},
		line("k", `a\u0062`): {value: "ab"},
		line("k", `a"b`):     {value: `a"b`, notJSON: 1},
		line("k", "a\nb"):    {foreign: true, faults: 1},
		line("k", "a\rb"):    {value: "a\rb", notJSON: 1, broken: true},
		`:::MLLOG {"\u006bey": "k", "value": 1` + tail:                    {value: uint64(1)},
		`:::MLLOG {"key": "k", "value": 1, "value": 2` + tail:             {value: uint64(2)},
		`:::MLLOG{"key": "k", "value": 1` + tail:                          {value: uint64(1)},
		`:::MLLOG {"KEY": "k", "value": 1` + tail:                         {faults: 1},
		`:::MLLOG {"key": "k"` + tail:                                     {faults: 1},
		`:::MLLOG {"key": "k", "value": 1, "x": ` + deep + tail:           {faults: 1},
		`:::MLLOG {"key": "k", "value": 01` + tail:                        {faults: 1},
		`:::MLLOG {"key": "k", "value": 1}` + "\n":                        {value: uint64(1), unmarked: 1},
		`:::MLLOG {"key": "k", "value": 1, "metadata": null}` + "\n":      {value: uint64(1), unmarked: 1},
		"word\r" + line("k", 1):                                           {foreign: true, broken: true},
		strings.Replace(line("loaded_qsl_set", 1), "1", "[1,01]", 1):      {notJSON: 1},
		strings.Replace(line("loaded_qsl_set", 1), "1", "[1,2,]", 1):      {faults: 1},
		strings.Replace(line("loaded_qsl_set", 1), "1", "[10,0]", 1):      {},
		strings.Replace(line("loaded_qsl_set", 1), "1", "[]", 1):          {},
		strings.Replace(line("loaded_qsl_set", 1), "1", "[1]]", 1):        {faults: 1},
		strings.Replace(line("k", 1), "1", "{\"a\":\"b\",\"a\":\"\"}", 1): {value: map[string]string{"a": ""}},
	} {
		d := scan(t, text)
		e, _ := d.First("k")
		if !reflect.DeepEqual(e.Value, want.value) || d.NotJSON != want.notJSON || d.Unmarked != want.unmarked ||
			d.NumFaults != want.faults || (d.Broken > 0) != want.broken || (d.NumForeign > 0) != want.foreign {
			t.Errorf("%.200q: got %v, %+v", text, e.Value, d)
		}
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
		var raw map[string]any
		rest, marked := strings.CutPrefix(text, ":::MLLOG")
		if d.Lines == 1 && marked && d.NotJSON+d.NumFaults == 0 && json.Unmarshal([]byte(rest), &raw) != nil {
			t.Errorf("%q is not JSON: got %+v", text, d)
		}
		if key, _ := raw["key"].(string); d.NumFaults == 0 && raw != nil && !d.Has(key) {
			t.Errorf("%q has the key %q: got %+v", text, key, d)
		}
	})
}

// TestKeysAreBounded reads a log with more keys than LoadGen ever writes. The first keys must be kept, the others must
// be faults, and errors must still be counted.
func TestKeysAreBounded(t *testing.T) {
	const most, more = 10_000, 100
	var log []byte
	for i := range most + more {
		log = mllog.AppendDetail(log, mllog.DetailEntry{Key: fmt.Sprint("key", i), Value: uint64(i), Error: i%2 == 0})
	}
	log = mllog.AppendDetail(log, mllog.DetailEntry{Key: "key1", Value: "again"})
	d := scan(t, string(log))
	if d.NumFaults != more || d.NumErrors != (most+more)/2 || d.Count("key1") != 2 || d.Has(fmt.Sprint("key", most)) {
		t.Errorf("%d faults, %d errors, %d of key1", d.NumFaults, d.NumErrors, d.Count("key1"))
	}
}
