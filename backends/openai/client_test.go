package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// recorder stores the observed events. Its clock counts the calls of Now.
type recorder struct {
	now    int64
	events []string // kind, text of each sort, tokens
	at     []int64
}

func (r *recorder) Now() int64 {
	r.now++
	return r.now
}

func (r *recorder) Event(e *openai.ObservedEvent) {
	names := map[openai.EventKind]string{
		openai.RoleEvent: "role", openai.ContentEvent: "content", openai.ReasoningEvent: "reasoning",
		openai.ToolEvent: "tool", openai.CommentEvent: "comment",
	}
	line := names[e.Kind]
	for _, text := range [][]byte{e.Thought, e.Called, e.Text} {
		if len(text) > 0 {
			line += " " + string(text)
		}
	}
	if e.Tokens > 0 {
		line += fmt.Sprint(" +", e.Tokens)
	}
	r.events = append(r.events, line)
	r.at = append(r.at, e.At)
}

// askClient opens a client with options given as key=value.
func askClient(t testing.TB, urls string, options ...string) *openai.Client {
	t.Helper()
	c, err := openClient(urls, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func openClient(urls string, options ...string) (*openai.Client, error) {
	env := func(name string) (string, bool) { return "secret", name == "OPENAI_API_KEY" || name == "OTHER" }
	return openai.Backend{Lookup: env}.Client(context.Background(), asOptions(urls, options))
}

func ask(t testing.TB, c *openai.Client, call openai.ClientCall) (*recorder, openai.Response, error) {
	t.Helper()
	r, err := c.WriteRequest(call)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	o := &recorder{}
	response, err := c.Ask(ctx, r, o)
	return o, response, err
}

var completion = openai.ClientCall{API: openai.Completions, IDs: []int32{1, 2, 3}, MaxTokens: 5, Exact: true}

func TestClientAsks(t *testing.T) {
	s := openaitest.New(openaitest.Options{Owner: "vllm", IDs: true})
	c := askClient(t, serve(t, s))
	for range 2 {
		o, response, err := ask(t, c, completion)
		if err != nil {
			t.Fatal(err)
		}
		ids, _ := openaitest.Generated(promptJSON, 5)
		var want []string
		for _, id := range ids {
			want = append(want, fmt.Sprintf("content  %d +1", id))
		}
		want = append(want, "role")
		if strings.Join(o.events, "|") != strings.Join(want, "|") {
			t.Errorf("events %q, want %q", o.events, want)
		}
		if response.Usage.Completion != 5 || response.Sent != 1 || response.End < o.at[len(o.at)-1] ||
			response.Finish != "length" {
			t.Errorf("%+v, with events at %d", response, o.at)
		}
	}
	if a := c.ServerInfo(); a.Kind != "vllm" || a.Model != "mock" || !a.IDs || !a.Exact {
		t.Errorf("%+v", a)
	}
}

// stream is a server that answers every request with the same events.
func stream(events ...string) http.Handler {
	return answering("text/event-stream", strings.Join(events, "\n\n")+"\n\n")
}

// answering is a server with one model that answers every other request with the same body.
func answering(content, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			if !strings.HasSuffix(r.URL.Path, "/models") {
				http.NotFound(w, r)
				return
			}
			fmt.Fprint(w, `{"data":[{"id":"m","owned_by":"vllm","max_model_len":4096}]}`)
			return
		}
		w.Header().Set("Content-Type", content)
		fmt.Fprint(w, body)
	})
}

func TestClientSeesWhatComes(t *testing.T) {
	unknown := openai.TokenUsage{Prompt: -1, Completion: -1, Reasoning: -1, Cached: -1}
	for _, c := range []struct {
		name    string
		handler http.Handler
		call    openai.ClientCall
		events  string
		usage   openai.TokenUsage
		whole   bool
	}{
		{"a chat that thinks first", stream(
			`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`,
			`: ping`,
			`data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm","reasoning":"hm"}}]}`,
			`data: {"choices":[{"index":0,"delta":{"content":"yes"},"token_ids":[4,5]}]}`,
			`data: {"choices":[{"index":0,"delta":{"content":""},"token_ids":[2],"finish_reason":"stop"}]}`,
			`data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":`+
				`{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":1}}}`, `data: [DONE]`),
			openai.ClientCall{API: openai.Chat, Text: "q"},
			"role|comment|reasoning hm|content yes +2|content +1|role", openai.TokenUsage{9, 4, 1, 0}, false},
		{"a tool call", stream(
			`data: {"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"x","type":"function",`+
				`"function":{"name":"get","arguments":""}}]}}]}`,
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}`,
			`data: {"choices":[{"delta":{"function_call":{"arguments":":1}"}},"finish_reason":"tool_calls"}]}`),
			openai.ClientCall{API: openai.Chat, Text: "q", Tools: json.RawMessage(`[]`)},
			`tool get|tool {"a"|tool :1}`, unknown, false},
		{"a response", stream(
			"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"output\":[],\"usage\":null}}",
			`data: {"type":"response.output_item.added","item":{"type":"reasoning","summary":[]}}`,
			`data: {"type":"response.reasoning_text.delta","delta":"hm"}`,
			`data: {"delta":"so","type":"response.reasoning_summary_text.delta"}`,
			`data: {"type":"response.reasoning_text.done","text":"hm"}`,
			`data: {"type":"response.output_text.delta","delta":"a","logprobs":[]}`,
			`data: {"type":"response.output_text.done","text":"a"}`,
			`data: {"type":"response.output_item.added","item":{"type":"function_call","name":"get","arguments":""}}`,
			`data: {"type":"response.function_call_arguments.delta","delta":"{}"}`,
			`data: {"type":"response.audio.delta","delta":"AAAA"}`,
			`data: {"type":"response.completed","response":{"status":"completed","error":null,"output":[{"type":"message",`+
				`"content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":7,"input_tokens_details":`+
				`{"cached_tokens":3},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":12}}}`),
			openai.ClientCall{API: openai.Responses, Text: "q"},
			"role|role|reasoning hm|reasoning so|role|content a|role|tool get|tool {}|role|role",
			openai.TokenUsage{7, 5, 2, 3}, false},
		{"SGLang's reasoning tokens", stream(`data: {"choices":[{"text":"a","finish_reason":"stop"}],"usage":` +
			`{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":null,"reasoning_tokens":1}}`),
			completion, "content a", openai.TokenUsage{5, 1, 1, -1}, false},
		{"a chat in one piece", answering("application/json; charset=utf-8", `{"choices":[{"message":{"role":"assistant",`+
			`"reasoning_content":"hm","content":"yes","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},`+
			`"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`),
			openai.ClientCall{API: openai.Chat, Text: "q", Whole: true},
			"content hm f{} yes", openai.TokenUsage{1, 2, -1, -1}, true},
		{"a response in one piece", answering("application/json", `{"object":"response","error":null,"output":[{"type":`+
			`"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"message","content":[{"type":`+
			`"output_text","text":"yes"}]},{"type":"function_call","name":"f","arguments":"{}"}],"usage":{"input_tokens":1,`+
			`"output_tokens":2}}`),
			openai.ClientCall{API: openai.Responses, Text: "q", Whole: true},
			"content hm f{} yes", openai.TokenUsage{1, 2, -1, -1}, true},
		{"a server that does not stream", answering("application/json", `{"choices":[{"text":"yes"}]}`), completion,
			"content yes", unknown, true},
		{"embeddings", answering("application/json", `{"object":"list","data":[{"embedding":[0.5,-1e-3],"index":0}],`+
			`"usage":{"prompt_tokens":8,"total_tokens":8}}`), openai.ClientCall{API: openai.Embeddings, Text: "q"},
			"role", openai.TokenUsage{8, -1, -1, -1}, true},
		{"rerank", answering("application/json", `{"results":[{"index":0,"relevance_score":0.5}],`+
			`"usage":{"total_tokens":8}}`),
			openai.ClientCall{API: openai.Rerank, Query: "q", Documents: json.RawMessage(`["a"]`)}, "role", unknown, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, response, err := ask(t, askClient(t, serve(t, c.handler)), c.call)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(o.events, "|"); got != c.events || response.Usage != c.usage || response.Whole != c.whole {
				t.Errorf("%q %+v, want %q %+v", got, response, c.events, c.usage)
			}
		})
	}
}

func TestClientFailures(t *testing.T) {
	event := `data: {"choices":[{"text":"a"}]}`
	for _, c := range []struct {
		name    string
		handler http.Handler
		kind    openai.FailureKind
		says    string
		options []string
	}{
		{"an error within the stream", stream(event, `data: {"error":{"message":"out of memory"}}`), openai.BadAnswer,
			"out of memory", nil},
		{"llama.cpp's error", stream(event, `error: {"message":"gone"}`), openai.BadAnswer, "gone", nil},
		{"a response that fails", stream(`data: {"type":"response.failed","response":{"error":{"message":"no"}}}`),
			openai.BadAnswer, "no", nil},
		{"the error of a response", stream(`data: {"type":"error","message":"why","code":null}`), openai.BadAnswer, "why",
			nil},
		{"an error in one piece", answering("application/json", `{"error":{"message":"m"}}`), openai.BadAnswer, "m", nil},
		{"no results", answering("text/html", `<html>`), openai.BadAnswer, "text/html", nil},
		{"no JSON", stream("data: {"), openai.BadAnswer, "not what the API has", nil},
		{"an answer that was aborted", stream(`data: {"choices":[{"text":"a","finish_reason":"abort"}]}`, "data: [DONE]"),
			openai.BadAnswer, "abort", nil},
		{"the end of a stream before that of the answer", stream(event), openai.CutOff, "cut after 1 events", nil},
		{"a connection that breaks", openaitest.New(openaitest.Options{Owner: "vllm", Fault: func(int64) openaitest.Fault {
			return openaitest.Fault{After: 2, Cut: true}
		}}), openai.CutOff, "cut after 2 events", nil},
		{"a server that says nothing", openaitest.New(openaitest.Options{Fault: func(int64) openaitest.Fault {
			return openaitest.Fault{Stall: true}
		}}), openai.TimedOut, "first_timeout", []string{"first_timeout=10ms"}},
		{"a server that stops", openaitest.New(openaitest.Options{Fault: func(int64) openaitest.Fault {
			return openaitest.Fault{Stall: true, After: 1}
		}}), openai.TimedOut, "idle_timeout", []string{"idle_timeout=10ms"}},
		{"an answer that takes long", openaitest.New(openaitest.Options{Fault: func(int64) openaitest.Fault {
			return openaitest.Fault{Stall: true, After: 1}
		}}), openai.TimedOut, "within timeout", []string{"timeout=10ms"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, response, err := ask(t, askClient(t, serve(t, c.handler), c.options...), completion)
			f := new(openai.CallFailure)
			if !errors.As(err, &f) || f.Kind != c.kind || !strings.Contains(f.Error(), c.says) {
				t.Errorf("%v, want kind %d and %q", err, c.kind, c.says)
			}
			if response.End <= response.Sent {
				t.Errorf("%+v", response)
			}
		})
	}
}

func TestClientStatus(t *testing.T) {
	c := askClient(t, serve(t, openaitest.New(openaitest.Options{Fault: func(n int64) openaitest.Fault {
		return openaitest.Fault{Status: []int{429, 503, 500}[n%3]}
	}})))
	for _, want := range []int{429, 503, 500} { // each is reported once and not tried again
		_, _, err := ask(t, c, completion)
		f := new(openai.CallFailure)
		if !errors.As(err, &f) || f.Kind != openai.BadStatus || f.Code != want ||
			!strings.Contains(f.Error(), "told to refuse") {
			t.Errorf("%v, want status %d", err, want)
		}
	}
}

// TestClientWrites compares requests with the fields that each kind of server supports.
func TestClientWrites(t *testing.T) {
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	for _, c := range []struct {
		kind, name string
		options    []string
		call       openai.ClientCall
		path, body string
	}{
		{"vllm", "ids", nil, completion, "/completions",
			`{"ignore_eos":true,"max_tokens":5,"min_tokens":5,"model":"m","prompt":[1,2,3],"return_token_ids":true,` +
				`"stream":true,"stream_options":{"include_usage":true},"temperature":0}`},
		{"openai", "the limit's name", nil, openai.ClientCall{API: openai.Chat, Text: "a<b", MaxTokens: 5, Exact: true},
			"/chat/completions", `{"max_completion_tokens":5,"messages":[{"role":"user","content":"a\u003cb"}],"model":"m",` +
				`"stream":true,"stream_options":{"include_usage":true},"temperature":0}`},
		{"llamacpp", "whole", nil, openai.ClientCall{API: openai.Completions, Text: "q", MaxTokens: 5, Exact: true,
			Whole: true},
			"/completions", `{"ignore_eos":true,"max_tokens":5,"model":"m","prompt":"q","temperature":0}`},
		{"llamacpp", "no cache", []string{"prefix_cache=off"}, openai.ClientCall{API: openai.Completions, Text: "q",
			Whole: true},
			"/completions", `{"cache_prompt":false,"model":"m","prompt":"q","temperature":0}`},
		{"other", "fields win", []string{"body.temperature=1", "body.top_k=20"},
			openai.ClientCall{API: openai.Completions, Text: "x", Model: "a1", Fields: map[string]json.RawMessage{
				"temperature": raw("0.5"), "stop": raw(`["\n"]`), "stream": raw("true")}},
			"/completions", `{"model":"a1","prompt":"x","stop":["\n"],"stream":true,"stream_options":{"include_usage":true},` +
				`"temperature":0.5,"top_k":20}`},
		{"vllm", "a response", nil, openai.ClientCall{API: openai.Responses, Messages: raw(`[{"role":"user","content":"q"}]`),
			MaxTokens: 7, Tools: raw(`[{"type":"function"}]`)}, "/responses",
			`{"input":[{"role":"user","content":"q"}],"max_output_tokens":7,"model":"m","store":false,"stream":true,` +
				`"temperature":0,"tools":[{"type":"function"}]}`},
		{"vllm", "embeddings", nil, openai.ClientCall{API: openai.Embeddings, Input: raw(`["a","b"]`)}, "/embeddings",
			`{"input":["a","b"],"model":"m"}`},
		{"vllm", "rerank", nil, openai.ClientCall{API: openai.Rerank, Query: "sea", Documents: raw(`["a"]`)}, "/rerank",
			`{"documents":["a"],"model":"m","query":"sea"}`},
		{"sglang", "log probabilities", []string{"count=logprobs"}, openai.ClientCall{API: openai.Chat, Text: "q"},
			"/chat/completions", `{"logprobs":true,"messages":[{"role":"user","content":"q"}],"model":"m","stream":true,` +
				`"skip_special_tokens":null,"stream_options":{"include_usage":true},"temperature":0,"top_logprobs":0}`},
	} {
		t.Run(c.kind+" "+c.name, func(t *testing.T) {
			options := append([]string{"server=" + c.kind, "model=m"}, c.options...)
			client := askClient(t, serve(t, answering("", "")), options...)
			r, err := client.WriteRequest(c.call)
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := errors.Join(json.Unmarshal(r.Body(), &got), json.Unmarshal([]byte(c.body), &want)); err != nil {
				t.Fatal(err)
			}
			for name, value := range want {
				if value == nil { // must not be there
					delete(want, name)
				}
			}
			gotText, _ := json.Marshal(got)
			wantText, _ := json.Marshal(want)
			if string(gotText) != string(wantText) || r.Path() != c.path {
				t.Errorf("%s %s, want %s %s", r.Path(), gotText, c.path, wantText)
			}
		})
	}
}

// TestClientSharesWhatWasSaid checks that earlier messages precede a request's own ones, and that a field can replace
// all messages.
func TestClientSharesWhatWasSaid(t *testing.T) {
	bodies := make(chan []byte, 1)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil || r.ContentLength != int64(len(text)) {
			t.Errorf("%d bytes of %d, %v", len(text), r.ContentLength, err)
		}
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
			return
		}
		bodies <- text
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"text\":\"x\",\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	client := askClient(t, url)
	own := json.RawMessage(`[{"role":"user","content":"c"}]`)
	for _, api := range []openai.APIPart{openai.Chat, openai.Responses} {
		for _, n := range []int{1, 1 << 20} {
			before := fmt.Sprintf(`{"role":"user","content":%q},{"role":"assistant","content":"b"},`, strings.Repeat("a", n))
			shared := openai.ClientCall{API: api, Before: []byte(before), Messages: own, MaxTokens: 3}
			whole := openai.ClientCall{API: api, Messages: json.RawMessage("[" + before + string(own[1:])), MaxTokens: 3}
			want, err1 := client.WriteRequest(whole)
			r, err2 := client.WriteRequest(shared)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(r.Body(), want.Body()) {
				t.Errorf("%s, %d: %.300s\nwant %.300s", api, n, r.Body(), want.Body())
			}
			if _, _, err := ask(t, client, shared); err != nil && api == openai.Chat {
				t.Error(err)
			}
			if body := <-bodies; !bytes.Equal(body, want.Body()) {
				t.Errorf("%s, %d: the server got %.300s\nwant %.300s", api, n, body, want.Body())
			}
			for _, name := range []string{"messages", "input"} {
				shared.Fields = map[string]json.RawMessage{name: json.RawMessage(`[1]`)}
				r, err := client.WriteRequest(shared)
				if err != nil || !json.Valid(r.Body()) || (name == "input") == (api == openai.Responses) &&
					bytes.Contains(r.Body(), []byte(`"b"`)) {
					t.Errorf("with a field %s: %.300s, %v", name, r.Body(), err)
				}
			}
		}
	}
	for _, call := range []openai.ClientCall{{API: openai.Chat, Before: []byte("1,"), Text: "q"},
		{API: openai.Chat, Before: []byte("1,"), Messages: json.RawMessage(`"q"`)}} {
		if _, err := client.WriteRequest(call); !errors.Is(err, openai.ErrPrompt) {
			t.Errorf("%+v: %v", call, err)
		}
	}
}

func TestClientSalts(t *testing.T) {
	c := askClient(t, serve(t, answering("", "")), "prefix_cache=report")
	seen := map[string]bool{}
	for range 3 {
		r, err := c.WriteRequest(completion)
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			Salt string `json:"cache_salt"`
		}
		if err := json.Unmarshal(r.Body(), &body); err != nil || body.Salt == "" || seen[body.Salt] {
			t.Errorf("salt %q, %v: want a new one", body.Salt, err)
		}
		seen[body.Salt] = true
	}
}

func TestClientCannotWrite(t *testing.T) {
	c := askClient(t, serve(t, answering("", "")))
	for _, call := range []openai.ClientCall{
		{}, {API: "speech", Text: "q"}, {API: openai.Chat}, {API: openai.Chat, IDs: []int32{1}},
		{API: openai.Completions, Messages: json.RawMessage(`[]`)}, {API: openai.Responses}, {API: openai.Embeddings},
		{API: openai.Rerank, Query: "q"}, {API: openai.Chat, Text: "q", MaxTokens: -1},
		{API: openai.Chat, Messages: json.RawMessage(`[`)},
		{API: openai.Chat, Text: "q", Fields: map[string]json.RawMessage{"a": json.RawMessage("{")}},
	} {
		if r, err := c.WriteRequest(call); !errors.Is(err, openai.ErrPrompt) {
			t.Errorf("%+v: %s, %v", call, r.Body(), err)
		}
	}
}

func TestClientHeaders(t *testing.T) {
	seen := make(chan http.Header, 1)
	c := askClient(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			seen <- r.Header
		}
		answering("application/json", `{"choices":[{"text":"a"}]}`).ServeHTTP(w, r)
	})))
	call := completion
	call.Header = map[string]string{"X-Session": "s", "authorization": "Bearer mine"}
	if _, _, err := ask(t, c, call); err != nil {
		t.Fatal(err)
	}
	if h := <-seen; h.Get("X-Session") != "s" || h.Get("Authorization") != "Bearer mine" {
		t.Errorf("%v", h)
	}
}

func TestClientTakesURLsAsPeopleHaveThem(t *testing.T) {
	s := httptest.NewServer(openaitest.New(openaitest.Options{}))
	t.Cleanup(s.Close)
	host := strings.TrimPrefix(s.URL, "http://")
	for url, api := range map[string]openai.APIPart{
		host: "", s.URL: "", s.URL + "/": "", s.URL + "/v1/": "", host + "/v1/chat/completions": openai.Chat,
		s.URL + "/v1/completions/": openai.Completions, host + "/v1/responses": openai.Responses,
		host + "/v1/embeddings": openai.Embeddings, host + "/v1/rerank": openai.Rerank, host + "/v1/models": "",
	} {
		c := askClient(t, url)
		if a := c.ServerInfo(); a.API != api || len(a.URLs) != 1 || a.URLs[0] != s.URL+"/v1" {
			t.Errorf("%s: %+v, want the API %q", url, a, api)
		}
	}
	_, err := openClient(host + "/v1/chat/completions," + host + "/v1/completions")
	if !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), "chat") {
		t.Errorf("two APIs: %v", err)
	}
}

func TestClientRefusesLimitsOfTheClient(t *testing.T) {
	_, err := openClient("http://127.0.0.1:1", "concurrency=4", "retries=1", "on_failure=continue", "what=1")
	for _, part := range []string{"option concurrency", "option retries", "option on_failure", `unknown option "what"`} {
		if !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
}

// TestClientReadsARefusalOfALongPrompt checks that a refusal is read although the request, written in several parts,
// has not been read.
func TestClientReadsARefusalOfALongPrompt(t *testing.T) {
	c := askClient(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			fmt.Fprint(w, `{"error":"too large"}`)
			return
		}
		answering("", "").ServeHTTP(w, r)
	})))
	_, _, err := ask(t, c, openai.ClientCall{API: openai.Completions, Text: strings.Repeat("word ", 40<<10)})
	if f := new(openai.CallFailure); !errors.As(err, &f) || f.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("%v, want status 413", err)
	}
}
