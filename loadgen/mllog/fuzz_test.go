package mllog_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

func TestAppendDetail(t *testing.T) {
	const tail = `, "namespace": "mlperf::logging", "event_type": "POINT_IN_TIME", "metadata": ` +
		`{"is_error": false, "is_warning": true, "file": "f.go", "line_no": 12, "pid": 3, "tid": 4}}` + "\n"
	for _, c := range []struct {
		value any
		time  time.Duration
		want  string
	}{
		{true, 0, `true, "time_ms": 0.000000`},
		{-3, 1, `-3, "time_ms": 0.000001`},
		{uint64(math.MaxUint64), 1234567, `18446744073709551615, "time_ms": 1.234567`},
		{int64(-9), 120 * time.Second, `-9, "time_ms": 120000.000000`},
		{871.1064, -978043 * time.Microsecond, `871.106, "time_ms": 18446744072731.508616`},
		{1e6, 0, `1e+06, "time_ms": 0.000000`},
		{0.1 + 0.2, 0, `0.3, "time_ms": 0.000000`},
		{1000.0, 0, `1000, "time_ms": 0.000000`},
		{math.NaN(), 0, `nan, "time_ms": 0.000000`},
		{math.Copysign(math.NaN(), -1), 0, `-nan, "time_ms": 0.000000`},
		{math.Inf(-1), 0, `-inf, "time_ms": 0.000000`},
		{math.Inf(1), 0, `inf, "time_ms": 0.000000`},
		{`a "quoted" one`, 0, `"a "quoted" one", "time_ms": 0.000000`},
		{[]uint64{}, 0, `[], "time_ms": 0.000000`},
		{[]uint64{5, 1, 3}, 0, `[5,1,3], "time_ms": 0.000000`},
		{map[string]string{"b": "2", "a": "1"}, 0, `{"a":"1","b":"2"}, "time_ms": 0.000000`},
	} {
		e := mllog.DetailEntry{Key: "k", Value: c.value, Time: c.time, Warning: true, File: "f.go", Line: 12, PID: 3, TID: 4}
		want := `:::MLLOG {"key": "k", "value": ` + c.want + tail
		if got := string(mllog.AppendDetail(nil, e)); got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
}

func TestDetailReaderFaults(t *testing.T) {
	good := string(mllog.AppendDetail(nil, mllog.DetailEntry{Key: "sut_name", Value: "x", File: "f"}))
	for _, c := range []struct{ line, want string }{
		{"", "want :::MLLOG"},
		{"hello", `found "hello"`},
		{strings.Replace(good, `", "value": `, `", "velue": `, 1), "no value"},
		{strings.Replace(good, "time_ms", "time", 1), "no time_ms"},
		{strings.Replace(good, `"x"`, "x", 1), `key sut_name: the value "x" is neither`},
		{strings.Replace(good, `"x"`, `"x`, 1), "is neither"},
		{strings.Replace(good, `"x"`, `[1,a]`, 1), "is neither"},
		{strings.Replace(good, `"x"`, `{"a":"b"`, 1), "is neither"},
		{strings.Replace(good, `"x"`, `{a:b}`, 1), "is neither"},
		{strings.Replace(good, `"x"`, `0x10`, 1), "is neither"},
		{strings.Replace(good, `"x"`, ``, 1), "is neither"},
		{strings.Replace(good, "false", "maybe", 1), "is_error: cannot read"},
		{strings.Replace(good, "0.000000", "0.0", 1), "time_ms: cannot read"},
		{strings.Replace(good, `"pid": 0`, `"pid": z`, 1), "pid: cannot read"},
		{strings.Replace(good, `}}`, `}`, 1), "want }}"},
		{strings.TrimSpace(good) + "x", "text after the entry"},
	} {
		r := mllog.NewDetailReader(strings.NewReader(good + strings.TrimSuffix(c.line, "\n") + "\n" + good))
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		_, err := r.Next()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: error %v, want line 2 and %q", c.line, err, c.want)
			continue
		}
		wantFormat(t, err)
		if e, err := r.Next(); err != nil || e.Key != "sut_name" || r.Line() != 3 {
			t.Errorf("after a fault: %+v, %v", e, err)
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("at the end: %v", err)
		}
	}
}

func TestDetailNumbers(t *testing.T) {
	for _, c := range []struct {
		value any
		want  float64
	}{{uint64(3), 3}, {int64(-3), -3}, {2.5, 2.5}} {
		if v, ok := (mllog.DetailEntry{Value: c.value}).Float(); !ok || v != c.want {
			t.Errorf("Float of %v: %v %v", c.value, v, ok)
		}
	}
	e := mllog.DetailEntry{Value: "text"}
	if _, ok := e.Float(); ok {
		t.Error("a text is a number")
	}
	if v, ok := e.Text(); !ok || v != "text" {
		t.Errorf("Text: %q %v", v, ok)
	}
	if v, ok := (mllog.DetailEntry{Value: uint64(4)}).Uint(); !ok || v != 4 {
		t.Errorf("Uint: %d %v", v, ok)
	}
}

func FuzzDetailReader(f *testing.F) {
	for _, v := range []any{true, "a", uint64(1), -1.5, []uint64{1, 2}, map[string]string{"a": "b"}, math.NaN()} {
		f.Add(mllog.AppendDetail(nil, mllog.DetailEntry{Key: "k", Value: v, Time: 1e9, File: "f"}))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		entries, err := mllog.ReadDetail(bytes.NewReader(line))
		for _, e := range entries {
			again, err := mllog.ReadDetail(bytes.NewReader(mllog.AppendDetail(nil, e)))
			if err != nil || len(again) != 1 {
				t.Fatalf("%+v written and read again: %+v, %v", e, again, err)
			}
			text := mllog.AppendDetail(nil, again[0])
			if !bytes.Equal(text, mllog.AppendDetail(nil, e)) {
				t.Errorf("%+v became %+v", e, again[0])
			}
		}
		if err != nil {
			wantFormat(t, err)
		}
	})
}

func FuzzSummary(f *testing.F) {
	for _, path := range []string{"SingleStream_PerformanceOnly", "Server_token_ttft_tpot_fail"} {
		f.Add(read(f, filepath.Join("testdata", path, "mlperf_log_summary.txt")))
	}
	f.Add([]byte("\nNo warnings encountered during test.\n\n3 ERRORS encountered. See detailed log.\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := mllog.ReadSummary(bytes.NewReader(text))
		if err != nil {
			wantFormat(t, err)
			return
		}
		slow, err := mllog.ReadSummary(iotest.OneByteReader(bytes.NewReader(text)))
		if err != nil || !reflect.DeepEqual(s, slow) {
			t.Errorf("read byte by byte: %+v, %v; else %+v", slow, err, s)
		}
		var b bytes.Buffer
		if err := mllog.WriteSummary(&b, s); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSummaryFaults(t *testing.T) {
	whole := string(read(t, filepath.Join("testdata", "SingleStream_PerformanceOnly", "mlperf_log_summary.txt")))
	lines := strings.SplitAfter(whole, "\n")
	for i := range lines[:len(lines)-1] {
		cut := strings.Join(lines[:i], "")
		if _, err := mllog.ReadSummary(strings.NewReader(cut)); err == nil {
			t.Errorf("no error for a log cut after line %d", i)
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{"====\nMLPerf", "====\nMLPer", "line 2: want MLPerf Results Summary"},
		{"Result is : VALID", "Result is", "line 8: want LABEL : VALUE"},
		{"Additional Stats", "Other Stats", "want Additional Stats"},
		{"Min latency (ns)                : 1016466", "Min latency", "want LABEL : VALUE"},
	} {
		_, err := mllog.ReadSummary(strings.NewReader(strings.Replace(whole, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.to, err, c.want)
		}
	}
}

func TestTraceRoundTrip(t *testing.T) {
	var b bytes.Buffer
	start := time.Unix(1795239663, 605292750)
	w := mllog.NewTraceWriter(&b, start, 77)
	want := []mllog.TraceSample{
		{SampleSeq: 0, QuerySeq: 0, Index: 5, Scheduled: 89303, IssueDelay: 180, Latency: 1216554},
		{SampleSeq: 1, QuerySeq: 1, Index: 1<<32 - 1, Scheduled: 1e15 + 1, IssueDelay: 0, Latency: 1},
	}
	for _, s := range want {
		if err := w.Latency(s); err != nil {
			t.Fatal(err)
		}
		if err := w.Sample(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Errorf("not JSON: %s", b.Bytes())
	}
	var got []mllog.TraceSample
	kinds := map[string]int{}
	r := mllog.NewTraceReader(&b)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kinds[e.Name+" "+e.Phase]++
		if s, ok := e.Sample(); ok {
			got = append(got, s)
		}
	}
	if !reflect.DeepEqual(got, want) || kinds["Sample e"] != 2 || kinds["Latency C"] != 2 {
		t.Errorf("got %+v and %v, want %+v", got, kinds, want)
	}
}

func TestTraceFaults(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{"x\n", "line 1: want {\"traceEvents\""},
		{"{\"traceEvents\":[\n", "line 1: the log ends before LastTrace"},
		{"{\"traceEvents\":[\nfoo\n", "line 2: want an event"},
		{"{\"traceEvents\":[\n{\"name\":\"x\"},\n", "an event without name or ph"},
		{"{\"traceEvents\":[\n{\"name\":\"x\",\"ts\":1},\n", "cannot read"},
		{"{\"traceEvents\":[\n{\"name\":\"x\",y},\n", "cannot read"},
	} {
		_, err := mllog.NewTraceReader(strings.NewReader(c.log)).Next()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.log, err, c.want)
			continue
		}
		wantFormat(t, err)
	}
	if _, err := mllog.NewTraceReader(strings.NewReader("")).Next(); !errors.Is(err, io.EOF) {
		t.Errorf("empty log: %v, want the end", err)
	}
}

func FuzzTraceReader(f *testing.F) {
	f.Add(read(f, filepath.Join("testdata", "SingleStream_PerformanceOnly", "mlperf_log_trace.json")))
	f.Fuzz(func(t *testing.T, log []byte) {
		r := mllog.NewTraceReader(bytes.NewReader(log))
		for {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				wantFormat(t, err)
				return
			}
			e.Sample()
		}
	})
}
