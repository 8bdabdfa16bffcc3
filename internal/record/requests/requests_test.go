package requests_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// random returns a random valid record.
func random(rng *rand.Rand, i int) metrics.Request {
	maybe := func() int64 {
		if rng.IntN(2) == 0 {
			return metrics.Unknown
		}
		return rng.Int64N(5000)
	}
	statuses := []metrics.Status{metrics.OK, metrics.OK, metrics.OK, metrics.Refused, metrics.Cut, "http_429",
		metrics.Cancelled}
	r := metrics.Request{
		Index: i, Row: rng.IntN(100), User: rng.IntN(5), Turn: rng.IntN(3), Server: rng.IntN(2), Due: rng.Int64N(1e12) - 1e9,
		Status: statuses[rng.IntN(len(statuses))], WarmUp: rng.IntN(9) == 0, Whole: rng.IntN(9) == 0,
		Usage:       metrics.Usage{Prompt: maybe(), Completion: maybe(), Reasoning: maybe(), Cached: maybe()},
		Retokenized: maybe(), AskedIn: maybe(), AskedOut: maybe(), Read: rng.Int64N(1e6),
	}
	if r.Sent = r.Due + rng.Int64N(1e6); rng.IntN(4) == 0 {
		r.Session, r.Fault = "a <b>\u2028\x00", "HTTP 500: \"no\"\nmore"
	}
	r.End = r.Sent
	ids := rng.IntN(3) // none, one each, any number
	for range rng.IntN(6) {
		r.End += rng.Int64N(1e8)
		e := metrics.StreamEvent{At: r.End, Kind: metrics.EventKind(rng.IntN(5)), Text: rng.IntN(3) > 0, IDs: min(ids, 1)}
		if ids == 2 {
			e.IDs = rng.IntN(4)
		}
		r.Events.Add(e)
	}
	return r
}

// TestWriteAndRead checks that the written records are read again, for random records.
func TestWriteAndRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var all []metrics.Request
	for i := range 2000 {
		r := random(rng, i)
		if i%3 == 0 {
			r.Events.Shift(-5e8)
		}
		all = append(all, r)
	}
	var b bytes.Buffer
	rules := metrics.FigureRules{Tokenizer: true}
	if err := requests.Write(&b, all, rules); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, "\n"); n != len(all) {
		t.Errorf("%d lines of %d requests", n, len(all))
	}
	again, err := requests.Read(&b)
	if err != nil || len(again) != len(all) {
		t.Fatalf("%d requests, %v", len(again), err)
	}
	for i := range all {
		was, is := events(all[i]), events(again[i])
		a, b := all[i], again[i]
		if a.Events, b.Events = (metrics.TokenEvents{}), (metrics.TokenEvents{}); !reflect.DeepEqual(a, b) ||
			!slices.Equal(was, is) {
			t.Fatalf("%+v %v is read as %+v %v", a, was, b, is)
		}
	}
	if !reflect.DeepEqual(metrics.ComputeFigures(all, rules), metrics.ComputeFigures(again, rules)) {
		// compared as text, because NaN does not equal NaN
		x, _ := metrics.ComputeFigures(all, rules).TTFT.MarshalJSON()
		y, _ := metrics.ComputeFigures(again, rules).TTFT.MarshalJSON()
		if !bytes.Equal(x, y) {
			t.Errorf("%s, was %s", y, x)
		}
	}
	var twice bytes.Buffer
	if err := requests.Write(&twice, again, rules); err != nil || twice.String() != text {
		t.Errorf("written again it is another text (%v)", err)
	}
}

func events(r metrics.Request) (all []metrics.StreamEvent) {
	for e := range r.Events.All() {
		all = append(all, e)
	}
	return all
}

// TestLine checks the form that other programs read.
func TestLine(t *testing.T) {
	r := metrics.Request{Index: 7, Row: 3, Due: 1000, Sent: 1500, End: 9000, Status: metrics.OK, Usage: metrics.NoUsage(),
		Retokenized: metrics.Unknown, AskedIn: 8, AskedOut: metrics.Unknown, Read: 5}
	r.Usage.Prompt = 8
	for i, kind := range []metrics.EventKind{metrics.Reasoning, metrics.Content, metrics.Content} {
		r.Events.Add(metrics.StreamEvent{At: 4000 + 1000*int64(i), Kind: kind, Text: true, IDs: 1})
	}
	var b bytes.Buffer
	if err := requests.Write(&b, []metrics.Request{r}, metrics.FigureRules{}); err != nil {
		t.Fatal(err)
	}
	const want = `{"index":7,"row":3,"user":0,"turn":0,"server":0,"due_ns":1000,"sent_ns":1500,"end_ns":9000,` +
		`"status":"ok","prompt_tokens":8,"asked_in":8,"read_ns":5,"out":3,"ttft_ns":3000,"tpot_ns":1000,"e2e_ns":5000,` +
		`"first_ns":4000,"gaps_ns":[1000,1000],"kinds":"rcc","ids":1}` + "\n"
	if b.String() != want {
		t.Errorf("%s, want %s", b.String(), want)
	}
}

func TestHostileLines(t *testing.T) {
	const begin = `{"status":"ok",`
	for text, want := range map[string]string{
		"x":                      "line 1: no request",
		"[]":                     "line 1: no request",
		"{}":                     `the status is ""`,
		`{"status":"OK; rm"}`:    "the status is",
		begin + `"index":-1}`:    "index is -1, want 0 or more",
		begin + `"due_ns":1e30}`: "no request",
		begin + `"end_ns":` + "9000000000000000000}":                                        "end_ns is 9000000000000000000",
		begin + `"prompt_tokens":-3}`:                                                       "prompt_tokens is -3",
		begin + `"gaps_ns":[1]}`:                                                            "no first_ns",
		begin + `"first_ns":1}`:                                                             "kinds has 0 letters",
		begin + `"first_ns":1,"gaps_ns":[1],"kinds":"ccc"}`:                                 "kinds has 3 letters, want one",
		begin + `"first_ns":1,"kinds":"z"}`:                                                 `kinds is "z"`,
		begin + `"first_ns":1,"kinds":"o"}`:                                                 "is no token event",
		begin + `"first_ns":1,"kinds":"C"}`:                                                 "is no token event",
		begin + `"first_ns":1,"kinds":"c","ids":[1,2]}`:                                     "ids has 2 numbers",
		begin + `"first_ns":1,"kinds":"c","ids":-1}`:                                        "is no token event",
		begin + `"first_ns":1,"gaps_ns":[-1],"kinds":"c"}`:                                  "in the order",
		begin + `"first_ns":1,"gaps_ns":[9000000000000000000],"kinds":"c"}`:                 "in the order",
		begin + `"first_ns":600000000000000000,"gaps_ns":[100000000000000000],"kinds":"c"}`: "within twenty years",
		"{}\n\n" + begin + "\"index\":-1}":                                                  "line 3: index is -1",
		strings.Repeat("{}\n", 30):                                                          "and maybe more",
	} {
		all, err := requests.Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || all != nil {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
	if all, err := requests.Read(strings.NewReader("")); err != nil || all != nil {
		t.Errorf("an empty file: %v, %v", all, err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(3, 3))
	var all []metrics.Request
	for i := range 5 {
		all = append(all, random(rng, i))
	}
	if err := requests.Write(&b, all, metrics.FigureRules{}); err != nil {
		f.Fatal(err)
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		f.Add(line)
	}
	f.Add(b.String())
	f.Fuzz(func(t *testing.T, text string) {
		all, err := requests.Read(strings.NewReader(text))
		if err != nil {
			if all != nil {
				t.Errorf("%d requests with %v", len(all), err)
			}
			return
		}
		metrics.ComputeFigures(all, metrics.FigureRules{Limits: metrics.RequestLimits{metrics.TTFT: math.MaxFloat64},
			OpenLoop: true})
		var once, twice bytes.Buffer
		if err := requests.Write(&once, all, metrics.FigureRules{}); err != nil {
			t.Fatal(err)
		}
		again, err := requests.Read(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("%v of what was written\n%s", err, once.String())
		}
		if err := requests.Write(&twice, again, metrics.FigureRules{}); err != nil || once.String() != twice.String() {
			t.Errorf("%s\nwritten again (%v)\n%s", once.String(), err, twice.String())
		}
	})
}

// BenchmarkWrite writes records of 32 tokens, and BenchmarkRead reads them.
func BenchmarkWrite(b *testing.B) {
	all := answers(1000)
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := requests.Write(&out, all, metrics.FigureRules{}); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}

func BenchmarkRead(b *testing.B) {
	var out bytes.Buffer
	if err := requests.Write(&out, answers(1000), metrics.FigureRules{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(out.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := requests.Read(bytes.NewReader(out.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}

func answers(n int) []metrics.Request {
	all := make([]metrics.Request, n)
	for i := range all {
		r := &all[i]
		*r = metrics.Request{Index: i, Status: metrics.OK, Usage: metrics.NoUsage(), Retokenized: metrics.Unknown,
			AskedIn: metrics.Unknown, AskedOut: metrics.Unknown}
		for k := range int64(32) {
			r.Events.Add(metrics.StreamEvent{At: 50e6 + k*5_123_456, Kind: metrics.Content, Text: true, IDs: 1})
		}
	}
	return all
}
