package steady

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// words counts the tokens of made answers, which are blanks.
func words(text string) int { return strings.Count(text, " ") }

func TestLaterText(t *testing.T) {
	for data, want := range map[string]string{
		`["text",["a"," b"," c"]]`:                   " b c",
		`["text",["a"," b"],["r"," s"]]`:             " sa b",
		`["text",["a"," b"],"reason"]`:               "a b",
		`["text","a b c"]`:                           "",
		`["text","a b c",["r"," s"]]`:                " sa b c",
		`["text","a b c","reason"]`:                  "",
		`["text",["a"," b"],null,[{"name":"call"}]]`: " b",
		`["text",["a"," b"],[]]`:                     " b",
		`["text",[]]`:                                "",
		`["text"]`:                                   "",
		`{"text":1}`:                                 "",
		`["text",7,8]`:                               "",
		``:                                           "",
	} {
		if got := textOf(data); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}

// textOf is the text that is counted of an answer where there is no chat template.
func textOf(data string) (text string) {
	g := passGatherer{count: func(t string) int { text = t; return 1 }}
	g.countTokens([]byte(data))
	return text
}

// TestMessages: what the client counts of answers with reasoning and calls of tools (ea332753).
func TestMessages(t *testing.T) {
	text, err := os.ReadFile("testdata/messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c struct {
			Data                      json.RawMessage
			Structured                bool
			Content, Reasoning, Calls string
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		got := 0
		g := passGatherer{count: func(string) int { return 1 }, message: func(content, reasoning string, calls []any) int {
			got++
			want, _ := pyvalue.Decode(cmp.Or(c.Calls, "[]"))
			if content != c.Content || reasoning != c.Reasoning || calls != nil && !pyvalue.Same(any(calls), want) ||
				(calls == nil) != (c.Calls == "") {
				t.Errorf("%s: %q, %q, %s", line, content, reasoning, pyvalue.JSON(calls))
			}
			return 7
		}}
		if tokens := g.countTokens(c.Data); (got == 1) != c.Structured || (tokens == 7) != c.Structured {
			t.Errorf("%s: %d messages, %d tokens", line, got, tokens)
		}
	}
}

// TestEvents: retries, first chunks that come twice, what was issued outside of the tracked time, lines that are none.
func TestEvents(t *testing.T) {
	text := `
{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"before","turn":null,"conversation_id":"","data":null}
{"event_type": "session.start_performance_tracking", "timestamp_ns": 2, "sample_uuid": "", "data": null}
{"event_type":"sample.issued","timestamp_ns":10,"sample_uuid":"a"}
{"event_type":"sample.issued","timestamp_ns":12,"sample_uuid":"b","data":{"x":[1,{"y":"}\"]"}]}}
not an event
{"event_type":"sample.issued","timestamp_ns":20,"sample_uuid":"a"}
{"event_type":"sample.recv_first","timestamp_ns":30,"sample_uuid":"a"}
{"event_type":"sample.recv_first","timestamp_ns":35,"sample_uuid":"a"}
{"event_type":"sample.complete","timestamp_ns":40,"sample_uuid":"before","data":["text",["a"," b"]]}
{"event_type":"sample.issued","timestamp_ns":41,"sample_uuid":"c"}
{"event_type":"session.stop_performance_tracking","timestamp_ns":45,"sample_uuid":""}
{"event_type":"sample.issued","timestamp_ns":46,"sample_uuid":"after"}
{"data":["text",["x"," y"," \" z"]],"sample_uuid":"a","timestamp_ns":50,"event_type":"sample.complete"}
{"event_type":"sample.complete","timestamp_ns":60,"sample_uuid":"b","data":["text","whole"]}
{"event_type":"sample.complete","timestamp_ns":x,"sample_uuid":"b"}
{"event_type":"sample.complete"
[1]`
	got, err := ReadEvents(strings.NewReader(text), 2, words, nil)
	want := Events{Samples: 3, Complete: 2, Skipped: 4, Passes: []Pass{
		{Issued: 2, FirstIssue: 10, LastIssue: 20, LastEvent: 60, OutTokens: 3, TTFT: []float64{10},
			TPOT: []float64{20.0 / 3}, Latency: []float64{30, 48}},
		{Issued: 1, FirstIssue: 41, LastIssue: 41, LastEvent: 41},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v (%v)\nwant %+v", got, err, want)
	}
	for _, bad := range []string{"", "x\n", `{"event_type":"session.start_performance_tracking","timestamp_ns":1}`} {
		if _, err := ReadEvents(strings.NewReader(bad), 2, words, nil); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	if _, err := ReadEvents(strings.NewReader(text), 0, words, nil); err == nil {
		t.Error("super-passes of 0 samples: no error")
	}
}

// writeLog writes the events of made passes, in which TPOT follows a shape.
func writeLog(w io.Writer, passes, size int, tpot func(pass int) float64) {
	random := rand.New(rand.NewPCG(1, 2))
	line := func(kind string, at int64, id string, data any) {
		text, _ := json.Marshal(map[string]any{"event_type": kind, "timestamp_ns": at, "sample_uuid": id, "data": data})
		fmt.Fprintf(w, "%s\n", text)
	}
	line("session.start_performance_tracking", 0, "", nil)
	at := int64(1)
	for i := range passes * size {
		id, tokens := fmt.Sprintf("%032x", i), 20+random.IntN(20)
		first := at + int64(2e8*(1+random.Float64()/10))
		line("sample.issued", at, id, nil)
		line("sample.recv_first", first, id, nil)
		chunks := append([]string{"x"}, slices.Repeat([]string{" y"}, tokens)...)
		line("sample.complete", first+int64(float64(tokens)*tpot(i/size)*(1+random.Float64()/50)), id, []any{"text", chunks})
		at += 100e9 / int64(size)
	}
	line("session.stop_performance_tracking", at, "", nil)
}

// TestWindowOfLogs: the whole way from a log to the window, for logs of each shape.
func TestWindowOfLogs(t *testing.T) {
	for name, c := range map[string]struct {
		tpot           func(pass int) float64
		found, anomaly bool
		low            int // of the window, at least
	}{
		"flat":    {func(int) float64 { return 2e7 }, true, false, 1},
		"ramp":    {func(p int) float64 { return 2e7 * (1 - 0.6*max(0, 1-float64(p)/4)) }, true, false, 3},
		"late":    {func(p int) float64 { return 2e7 * (1 + 0.3*float64(p/32)) }, true, true, 1},
		"drift":   {func(p int) float64 { return 2e7 * (1 + 0.2*float64(p)) }, false, true, 1},
		"scatter": {func(p int) float64 { return 2e7 * (1 + float64(p%2)) }, false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			writeLog(&log, 40, 10, c.tpot)
			events, err := ReadEvents(&log, 10, words, nil)
			if err != nil || events.Samples != 400 || events.Complete != 400 {
				t.Fatalf("%+v (%v)", events, err)
			}
			r := Detect(events.Passes, Options{})
			if r.Found != c.found || r.Anomaly.Detected != c.anomaly || r.Warmup+r.Window.Low < c.low {
				t.Errorf("%+v", r)
			}
		})
	}
}

// FuzzEvents: an event that is read has the kind and the time that encoding/json finds, where keys stand once.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"event_type":"sample.issued","timestamp_ns":10,"sample_uuid":"a\"","data":[1,{"a":"]"}]}`))
	f.Add([]byte(`{"event_type":"sample.complete" , "timestamp_ns":-7}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return
		}
		got, ok := parseEvent(line)
		var want map[string]any
		if !ok || json.Unmarshal(line, &want) != nil || bytes.Count(line, []byte("event_type")) > 1 {
			return
		}
		if kind, known := want["event_type"].(string); known && kind != string(got.kind) {
			t.Errorf("%q: %q, want %q", line, got.kind, kind)
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	random := rand.New(rand.NewPCG(3, 4))
	const size, requests = 4388, 5_000_000
	passes := make([]Pass, requests/size)
	for i := range passes {
		p := &passes[i]
		p.Issued, p.FirstIssue, p.LastIssue = size, int64(i)*10e9, int64(i+1)*10e9
		for range size {
			p.TTFT = append(p.TTFT, 2e8*(1+random.Float64()))
			p.TPOT = append(p.TPOT, 2e7*(1+random.Float64()))
			p.Latency = append(p.Latency, 1e10*(1+random.Float64()))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := Detect(passes, Options{}); !r.Found {
			b.Fatal(r.Reason)
		}
	}
}

func BenchmarkReadEvents(b *testing.B) {
	var log bytes.Buffer
	writeLog(&log, 100, 100, func(int) float64 { return 2e7 })
	b.SetBytes(int64(log.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadEvents(bytes.NewReader(log.Bytes()), 100, words, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// A clock that was set back is told, and one that was not is not.
func TestClockDoubt(t *testing.T) {
	line := `{"event_type":"%s","timestamp_ns":%d,"sample_uuid":"a","data":null}` + "\n"
	for end, want := range map[int]string{6_000_000_000: "", 1_000_000_000: "set back by at least 4.000 s"} {
		text := fmt.Sprintf(line, "session.start_performance_tracking", 0) +
			fmt.Sprintf(line, "sample.issued", 5_000_000_000) + fmt.Sprintf(line, "sample.complete", end)
		e, err := ReadEvents(strings.NewReader(text), 1, nil, nil)
		if doubt := e.ClockDoubt(); err != nil || (doubt == "") != (want == "") || !strings.Contains(doubt, want) {
			t.Errorf("%q, %v, want %q", doubt, err, want)
		}
	}
}
