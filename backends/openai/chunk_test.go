package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// plainChunk is the result of encoding/json for a chunk.
type plainChunk struct {
	Choices []struct {
		Text     string
		TokenIDs []int32 `json:"token_ids"`
		Finish   string  `json:"finish_reason"`
	}
	Usage struct {
		Completion *int64 `json:"completion_tokens"`
	}
}

func TestParse(t *testing.T) {
	var p chunkParser
	for _, c := range []struct {
		name, data string
		want       answerChunk
	}{
		{"vLLM",
			`{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":" a",` +
				`"logprobs":null,"finish_reason":null,"stop_reason":null,"token_ids":[17,4],"prompt_token_ids":[1,2,3]}],` +
				`"usage":null}`,
			answerChunk{text: []byte(" a"), ids: []int32{17, 4}}},
		{"SGLang",
			`{"id":"1","object":"text_completion","choices":[{"index":0,"text":"","logprobs":null,"finish_reason":"stop",` +
				`"matched_stop":2}],"usage":{"prompt_tokens":5,"total_tokens":9,"completion_tokens":4,` +
				`"prompt_tokens_details":{"cached_tokens":3}}}`,
			answerChunk{finish: "stop",
				usage: usageCounts{known: true, completion: 4, cached: 3, prompt: 5, reported: reportsPrompt | reportsCached}}},
		{"llama.cpp",
			`{"choices":[{"text":"é","index":0,"logprobs":null,"finish_reason":"length"}],"timings":{"cache_n":7,` +
				`"prompt_ms":1.5e-3,"predicted_n":-0}}`,
			answerChunk{text: []byte("é"), finish: "length", usage: usageCounts{cached: 7, reported: reportsCached}}},
		{"chat",
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"hi","tool_calls":[]},` +
				`"logprobs":{"content":[{"token":"token_id:9","logprob":-1,"bytes":[104],"top_logprobs":[]}]}}]}`,
			answerChunk{text: []byte("hi"), ids: []int32{9}, loggedTokens: 1}},
		{"llama.cpp's log probabilities",
			`{"choices":[{"text":" w","index":0,"logprobs":{"content":[{"id":328,"token":" w","bytes":[32],"logprob":-2.1,` +
				`"top_logprobs":[{"id":328,"token":" w"}]}]}}]}`,
			answerChunk{text: []byte(" w"), ids: []int32{328}, loggedTokens: 1}},
		{"reasoning by both names", `{"choices":[{"delta":{"reasoning":"hm","content":null,"reasoning_content":"hm"}}]}`,
			answerChunk{reasoning: []byte("hm")}},
		{"a tool call", `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"f",` +
			`"arguments":"{\"a\""}},{"function":null},7]}}]}`, answerChunk{toolText: []byte(`f{"a"`), hasToolCall: true}},
		{"no tool call yet", `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":null,"arguments":""}}]}}]}`,
			answerChunk{}},
		{"a call of a function", `{"choices":[{"delta":{"function_call":{"arguments":"{}"}}}]}`,
			answerChunk{toolText: []byte("{}"), hasToolCall: true}},
		{"all counts", `{"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":0,` +
			`"audio_tokens":5},"completion_tokens_details":{"reasoning_tokens":2}}}`,
			answerChunk{usage: usageCounts{known: true, completion: 4, prompt: 9, reasoning: 2,
				reported: reportsPrompt | reportsReasoning | reportsCached}}},
		{"a response's text", `{"delta":"a","type":"response.output_text.delta"}`, answerChunk{text: []byte("a")}},
		{"a response's reasoning", `{"delta":"a","type":"response.reasoning_summary_text.delta"}`,
			answerChunk{reasoning: []byte("a")}},
		{"a response's call", `{"type":"response.function_call_arguments.delta","delta":"a"}`,
			answerChunk{toolText: []byte("a"), hasToolCall: true}},
		{"what a response has else", `{"type":"response.output_item.done","item":{"name":"f","arguments":"{}"},"delta":"x"}`,
			answerChunk{}},
		{"a response's end", `{"type":"response.incomplete","response":{"output":[{"type":"message"}],"error":null,` +
			`"usage":{"input_tokens":5,"output_tokens":2}}}`,
			answerChunk{finish: "length", usage: usageCounts{known: true, completion: 2, prompt: 5, reported: reportsPrompt}}},
		{"a failed response", `{"type":"response.failed","response":{"error":{"message":"m"}}}`,
			answerChunk{fault: "m", hasFault: true}},
		{"embeddings", `{"data":[{"embedding":[1e-3]},{"embedding":"AAAA"}]}`, answerChunk{results: 2}},
		{"several choices",
			`{"choices":[{"index":1,"text":"no"},{"index":0,"text":"yes"},{"index":2,"text":"no","finish_reason":"stop"}]}`,
			answerChunk{text: []byte("yes")}},
		{"escapes", `{"choices":[{"text":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude42\ud83d \ude42\u0000"}]}`,
			answerChunk{text: []byte("\"\\/\b\f\n\r\té🙂\ufffd \ufffd\x00")}},
		{"other types", `{"choices":[{"text":5,"finish_reason":7,"logprobs":[],"delta":"x"}],"usage":[],"object":{}}`,
			answerChunk{}},
		{"an error", `{"error":{"message":"m\n","type":"t"}}`, answerChunk{fault: "m\n", hasFault: true}},
		{"an error without message", `{"error":{"code":5}}`, answerChunk{fault: `{"code":5}`, hasFault: true}},
	} {
		got, ok := p.parseEvent([]byte(c.data))
		w := c.want
		if !ok || string(got.text) != string(w.text) || !slices.Equal(got.ids, w.ids) || got.loggedTokens != w.loggedTokens ||
			got.finish != w.finish ||
			got.usage != w.usage || string(got.reasoning) != string(w.reasoning) || string(got.toolText) != string(w.toolText) ||
			got.hasToolCall != w.hasToolCall || got.results != w.results || got.fault != w.fault || got.hasFault != w.hasFault {
			t.Errorf("%s: %+v, want %+v", c.name, got, w)
		}
	}
	for _, data := range []string{"", "null", "[]", `{"a"}`, `{"a":1,}`, `{"a":1}x`, `{"a":01}`, `{"a":1.}`, `{"a":"\x"}`,
		`{"a":"\u12"}`, `{"a":"\u+123"}`,
		"{\"a\":\"\n\"}", `{"a":tru}`, `{"a":[1,]}`, `{"choices":[{"token_ids":[1.5]}]}`,
		`{"choices":[{"token_ids":[99999999999]}]}`,
		`{"choices":[{"logprobs":{"tokens":["token_id:x"]}}]}`, strings.Repeat(`{"a":[`, 100), `{"a":"`, `{"a":"\`} {
		if got, ok := p.parseEvent([]byte(data)); ok {
			t.Errorf("%.40q: %+v, want a fault", data, got)
		}
	}
}

// FuzzParse compares chunks with encoding/json.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"choices":[{"index":0,"text":" a\u00e9\ud83d\ude42","token_ids":[17],"finish_reason":"stop"}],` +
		`"usage":{"completion_tokens":4}}`))
	f.Add([]byte(`{"error":"x","a":[{"b":-1.5e+3},null,true,false,""]}`))
	f.Add([]byte(`{"choices":[{"index":1},{}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}],"reasoning":"a"}}]}`))
	f.Add([]byte(`{"type":"response.output_text.delta","delta":"a"}`))
	f.Add([]byte(`{"type":"response.output_item.added","item":{"type":"function_call","name":"f"}}`))
	f.Add([]byte(`{"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens_details":` +
		`{"reasoning_tokens":1}}}}`))
	f.Add([]byte(`{"output":[{"type":"message","content":[{"text":"a"}]}],"data":[1],"results":[{}]}`))
	var p chunkParser
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := p.parseEvent(data)
		valid := json.Valid(data)
		if ok && !valid {
			t.Fatalf("%q is not valid, and gives %+v", data, got)
		}
		if !ok {
			return // ids of another kind, and deep nesting, are faults although valid
		}
		var want plainChunk
		if json.Unmarshal(data, &want) != nil || len(want.Choices) != 1 || !utf8.Valid(data) || !isPlain(data) {
			return
		}
		if c := want.Choices[0]; string(got.text) != c.Text || !slices.Equal(got.ids, c.TokenIDs) || got.finish != c.Finish {
			t.Fatalf("%q: %+v, want %+v", data, got, want)
		}
		if n := want.Usage.Completion; n != nil && got.usage.known && *n != got.usage.completion {
			t.Fatalf("%q: %+v, want %d tokens", data, got, *n)
		}
	})
}

// isPlain reports whether the two parsers must agree: each key occurs once in its usual form, and there is one source
// of text and of ids. encoding/json ignores the case of keys and uses the last of several.
func isPlain(data []byte) bool {
	for _, key := range []string{"choices", "text", "token_ids", "finish_reason", "usage", "completion_tokens"} {
		if strings.Count(strings.ToLower(string(data)), key) > 1 ||
			bytes.Count(data, []byte(key)) != strings.Count(strings.ToLower(string(data)), key) {
			return false
		}
	}
	return !bytes.ContainsAny(data, `\`) && !bytes.Contains(data, []byte("delta")) &&
		!bytes.Contains(data, []byte("message")) &&
		!bytes.Contains(data, []byte("logprobs")) && !bytes.Contains(data, []byte("index")) &&
		!bytes.ContainsAny(data, "\u212a\u017f")
}

// TestEventsInPieces reads a stream byte by byte and in halves.
func TestEventsInPieces(t *testing.T) {
	stream := "\ufeffdata: one\n\n:c\n\r\ndata:two\r\ndata: more\r\n\r\nevent: error\ndata\ndata: three\n\n\n\ndata: " +
		strings.Repeat("x", 10000) + "\n\n"
	want := []string{"one", "two\nmore", "\nthree", strings.Repeat("x", 10000)}
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(stream), "bytes": iotest.OneByteReader(strings.NewReader(stream)),
		"halves":           iotest.HalfReader(strings.NewReader(stream)),
		"an end with data": iotest.DataErrReader(strings.NewReader(stream)),
	} {
		var e eventReader
		e.reset(r)
		for i, w := range want {
			ev, err := e.nextEvent()
			if err != nil || string(ev.data) != w || ev.isError != (i == 2) {
				t.Errorf("%s: event %d: %.40q %v, %v; want %.40q", name, i, ev.data, ev.isError, err, w)
			}
		}
		if _, err := e.nextEvent(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v at the end", name, err)
		}
	}
}

// FuzzEvents checks that the result does not depend on how the stream is split.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: a\n\ndata: b\ndata: c\r\n\r\n: x\n\nerror: y\n\ndata"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, wholeErr := readAll(bytes.NewReader(stream))
		pieces, piecesErr := readAll(iotest.OneByteReader(bytes.NewReader(stream)))
		if !slices.Equal(whole, pieces) || !errors.Is(piecesErr, wholeErr) {
			t.Fatalf("%q: %q %v and %q %v", stream, whole, wholeErr, pieces, piecesErr)
		}
	})
}

func readAll(r io.Reader) (all []string, err error) {
	var e eventReader
	e.reset(r)
	for {
		ev, err := e.nextEvent()
		if err != nil {
			return all, err
		}
		all = append(all, string(ev.data))
	}
}

// keeper is a sink that checks the order of reports.
type keeper struct {
	t     *testing.T
	first bool
}

func (k *keeper) FirstToken(backend.Tokens) {
	if k.first {
		k.t.Error("the first token comes twice")
	}
	k.first = true
}

func (k *keeper) Complete(backend.Tokens) { k.t.Error("reading completes nothing") }

// FuzzRead reads arbitrary streams as answers.
func FuzzRead(f *testing.F) {
	f.Add(
		[]byte("data: {\"choices\":[{\"text\":\"a\",\"token_ids\":[7],\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
	f.Add([]byte("data: {\"usage\":{\"completion_tokens\":3}}\n\ndata: [DONE]\n\n"))
	f.Add([]byte("error: {}\n\n"))
	g := &Generator{}
	f.Fuzz(func(t *testing.T, stream []byte) {
		c := &generateCall{}
		sink := &keeper{t: t}
		c.answer.reset(sink, anyCount)
		response := &http.Response{
			Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(stream)),
		}
		if fail := g.readEvents(context.Background(), response, c); fail != nil {
			if fail.err == nil {
				t.Error("a failure without an error")
			}
			return
		}
		tokens, err := c.answer.allTokens()
		if err == nil && (tokens.N < len(tokens.IDs) || !utf8.ValidString(tokens.Text) || tokens.Text != "" && !sink.first) {
			t.Errorf("%+v", tokens)
		}
	})
}

// FuzzObserve lets a Client observe arbitrary streams: it ends without a panic, and times are in order.
func FuzzObserve(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"text\":\"a\",\"token_ids\":[7],\"finish_reason\":\"stop\"}]}\n\n" +
		"data: [DONE]\n\n"))
	f.Add([]byte(": ping\n\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n" +
		"data: {\"type\":\"response.completed\"}\n\n"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]}}]}\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		a := observedCall{ctx: context.Background(), settings: &openaiSettings{}}
		o := &inOrder{t: t}
		err := a.readStream(bytes.NewReader(stream), o, &WrittenRequest{api: Chat, maxBytes: maxAnswerBytes(1)})
		if fail := new(CallFailure); err != nil && (!errors.As(err, &fail) || fail.Err == nil) {
			t.Errorf("%v is no failure", err)
		}
		if err == nil && a.events.read < o.last {
			t.Errorf("closed at %d, before an event at %d", a.events.read, o.last)
		}
	})
}

// inOrder checks that times never decrease.
type inOrder struct {
	t         *testing.T
	now, last int64
}

func (o *inOrder) Now() int64 {
	o.now++
	return o.now
}

func (o *inOrder) Event(e *ObservedEvent) {
	if e.At < o.last || e.At > o.now {
		o.t.Errorf("an event at %d after one at %d, now %d", e.At, o.last, o.now)
	}
	o.last = e.At
}

func BenchmarkParse(b *testing.B) {
	data := []byte(`{"id":"cmpl-0123456789abcdef","object":"text_completion","created":1700000000,` +
		`"model":"meta-llama/Llama-3.1-8B","choices":[{"index":0,"text":" token","logprobs":null,"finish_reason":null,` +
		`"stop_reason":null,"token_ids":[17]}],"usage":null}`)
	var p chunkParser
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := p.parseEvent(data); !ok {
			b.Fatal("not parsed")
		}
	}
}

// TestObservingAllocatesNothingPerToken checks that a stream of a thousand tokens takes no more memory than one of ten.
func TestObservingAllocatesNothingPerToken(t *testing.T) {
	allocations := func(tokens int) float64 {
		text := []byte(strings.Repeat(`data: {"choices":[{"delta":{"content":"a","reasoning":"b","tool_calls":[{"function":`+
			`{"arguments":"{"}}]},"token_ids":[7]}],"usage":{"prompt_tokens":1}}`+"\n\n", tokens) + "data: [DONE]\n\n")
		a := observedCall{ctx: context.Background(), settings: &openaiSettings{}}
		o := &inOrder{}
		return testing.AllocsPerRun(20, func() {
			if err := a.readStream(bytes.NewReader(text), o, &WrittenRequest{api: Chat,
				maxBytes: maxAnswerBytes(tokens)}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(10), allocations(1000); many > few {
		t.Errorf("%g allocations for 1000 tokens, %g for 10", many, few)
	}
}

// BenchmarkObserve reads the events of a stream in memory.
func BenchmarkObserve(b *testing.B) {
	var stream bytes.Buffer
	const tokens = 1000
	for range tokens {
		stream.WriteString(`data: {"id":"cmpl-0123456789abcdef","object":"text_completion","created":1700000000,` +
			`"model":"meta-llama/Llama-3.1-8B","choices":[{"index":0,"text":" token","logprobs":null,"finish_reason":null,` +
			`"stop_reason":null,"token_ids":[17]}],"usage":null}` + "\n\n")
	}
	stream.WriteString("data: [DONE]\n\n")
	a := observedCall{ctx: context.Background(), settings: &openaiSettings{}}
	o := &inOrder{}
	b.SetBytes(int64(stream.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if err := a.readStream(bytes.NewReader(stream.Bytes()), o, &WrittenRequest{api: Chat,
			maxBytes: maxAnswerBytes(tokens)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/event")
}
