package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// sink stores the reports.
type sink struct {
	mu       sync.Mutex
	firsts   []backend.Tokens
	complete []backend.Tokens
	order    string
}

func clone(t backend.Tokens) backend.Tokens {
	t.IDs = slices.Clone(t.IDs)
	return t
}

func (s *sink) FirstToken(t backend.Tokens) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.firsts = append(s.firsts, clone(t))
	s.order += "f"
}

func (s *sink) Complete(t backend.Tokens) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.complete = append(s.complete, clone(t))
	s.order += "c"
}

// serve starts servers with the same options and returns their addresses.
func serve(t testing.TB, handlers ...http.Handler) string {
	t.Helper()
	var urls []string
	for _, h := range handlers {
		server := httptest.NewServer(h)
		t.Cleanup(func() {
			server.CloseClientConnections()
			server.Close()
		})
		urls = append(urls, server.URL)
	}
	return strings.Join(urls, ",")
}

// apart starts a server at its own address. No other server gets its port when it has ended.
func apart(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	pid := os.Getpid()
	// On systems whose loopback network is only 127.0.0.1, the listener is unchanged.
	if l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 64+pid>>16&31, pid>>8&255, pid&255)); err == nil {
		server.Listener.Close()
		server.Listener = l
	}
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// connect opens a generator with options given as key=value.
func connect(t testing.TB, urls string, options ...string) *openai.Generator {
	t.Helper()
	g, err := open(urls, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func open(urls string, options ...string) (*openai.Generator, error) {
	config := backend.Config{Options: asOptions(urls, options)}
	env := func(name string) (string, bool) { return "secret", name == "OPENAI_API_KEY" || name == "OTHER" }
	return openai.Backend{Lookup: env}.Connect(context.Background(), config)
}

// asOptions adds options given as key=value to the addresses of servers.
func asOptions(urls string, options []string) map[string]string {
	// what a test waits for must not depend on the machine
	given := map[string]string{"url": urls, "connect_timeout": "5m"}
	for _, o := range options {
		key, value, _ := strings.Cut(o, "=")
		given[key] = value
	}
	return given
}

var prompt = backend.Prompt{Tokens: []int32{1, 2, 3}, MaxNewTokens: 5}

const promptJSON = "[1,2,3]"

func generate(t testing.TB, g *openai.Generator, p backend.Prompt) (*sink, error) {
	t.Helper()
	s := &sink{}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return s, g.Generate(ctx, p, s)
}

func TestGenerate(t *testing.T) {
	ids, text := openaitest.Generated(promptJSON, 5)
	chat := backend.Prompt{Messages: []backend.ChatMessage{{Role: "user", Content: "q\"\n"}}, MaxNewTokens: 5}
	chatIDs, chatText := openaitest.Generated(`[{"role":"user","content":"q\"\n"}]`, 5)
	for _, c := range []struct {
		name    string
		server  openaitest.Options
		options []string
		prompt  backend.Prompt
		first   backend.Tokens
		want    backend.Tokens
	}{
		{"ids", openaitest.Options{Owner: "vllm", IDs: true}, nil, prompt,
			backend.Tokens{IDs: ids[:1], Text: text[:strings.IndexByte(text[1:], ' ')+1], N: 1},
			backend.Tokens{IDs: ids, Text: text, N: 5}},
		{"several in the first event", openaitest.Options{Owner: "vllm", IDs: true, TokensPerEvent: 5}, nil, prompt,
			backend.Tokens{IDs: ids, Text: text, N: 5}, backend.Tokens{IDs: ids, Text: text, N: 5}},
		{"usage", openaitest.Options{Owner: "sglang", TokensPerEvent: 5}, nil, prompt, backend.Tokens{Text: text},
			backend.Tokens{Text: text, N: 5}},
		{"usage instead of ids", openaitest.Options{Owner: "vllm", IDs: true, TokensPerEvent: 5}, []string{"count=usage"},
			prompt,
			backend.Tokens{Text: text}, backend.Tokens{Text: text, N: 5}},
		{"log probabilities", openaitest.Options{Owner: "other", NoUsage: true, TokensPerEvent: 5},
			[]string{"count=logprobs"}, prompt,
			backend.Tokens{Text: text, N: 5}, backend.Tokens{Text: text, N: 5}},
		{"chat", openaitest.Options{Owner: "vllm", IDs: true, TokensPerEvent: 5}, nil, chat,
			backend.Tokens{IDs: chatIDs, Text: chatText, N: 5}, backend.Tokens{IDs: chatIDs, Text: chatText, N: 5}},
		{"chat with log probabilities", openaitest.Options{NoUsage: true, TokensPerEvent: 5}, []string{"count=logprobs"},
			chat,
			backend.Tokens{Text: chatText, N: 5}, backend.Tokens{Text: chatText, N: 5}},
		{"OpenAI's chat", openaitest.Options{Owner: "openai", TokensPerEvent: 5}, []string{"api=chat"}, chat,
			backend.Tokens{Text: chatText}, backend.Tokens{Text: chatText, N: 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := connect(t, serve(t, openaitest.New(c.server)), c.options...)
			for range 3 { // connections and memory are used again
				s, err := generate(t, g, c.prompt)
				if err != nil {
					t.Fatal(err)
				}
				if s.order != "fc" || !same(s.firsts[0], c.first) || !same(s.complete[0], c.want) {
					t.Errorf("%s: %+v, %+v; want %+v, %+v", s.order, s.firsts, s.complete, c.first, c.want)
				}
			}
		})
	}
}

// TestSpecialFirstToken checks that a first token is detected even if the server omits the text of special tokens and
// reports nothing else.
func TestSpecialFirstToken(t *testing.T) {
	const special, word = " 9", " 4"
	for _, c := range []struct {
		name, owner string
		options     []string
		first       backend.Tokens
	}{
		{"text alone", "sglang", nil, backend.Tokens{Text: special}},
		{"text alone, not asked for", "sglang", []string{"skip_special_tokens=unsent"}, backend.Tokens{Text: word}},
		{"ids", "vllm", nil, backend.Tokens{IDs: []int32{9}, N: 1}},
		{"ids dropped", "vllm", []string{"count=usage"}, backend.Tokens{Text: special}},
		{"log probabilities", "sglang", []string{"count=logprobs"}, backend.Tokens{N: 1}},
		{"a server that may not have the field", "other", nil, backend.Tokens{Text: word}},
		{"one that has it", "other", []string{"skip_special_tokens=false"}, backend.Tokens{Text: special}},
		{"another value", "sglang", []string{"body.skip_special_tokens=true"}, backend.Tokens{Text: word}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := connect(t, serve(t, openaitest.New(openaitest.Options{
				Owner: c.owner, IDs: c.owner == "vllm", AnswerTokens: []int32{9, 4, 5}, Special: []int32{9},
			})), c.options...)
			s, err := generate(t, g, prompt)
			if err != nil {
				t.Fatal(err)
			}
			if !same(s.firsts[0], c.first) || s.complete[0].N != 3 {
				t.Errorf("first %+v of %+v, want %+v", s.firsts, s.complete, c.first)
			}
		})
	}
}

// TestUncountedAnswers checks that a requested method of counting tokens is required.
func TestUncountedAnswers(t *testing.T) {
	url := serve(t, openaitest.New(openaitest.Options{Owner: "other", NoUsage: true}))
	for option, says := range map[string]string{"count=usage": "how many tokens", "count=ids": "no token ids"} {
		if s, err := generate(t, connect(t, url, option), prompt); !errors.Is(err, openai.ErrStream) ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %+v, want an error that says %q", option, err, s.complete, says)
		}
	}
	least := prompt
	least.MinNewTokens = 3 // which nobody here can judge
	if s, err := generate(t, connect(t, url), least); err != nil || s.complete[0].N != backend.Uncounted {
		t.Errorf("%+v, %v, want an answer that is not counted", s.complete, err)
	}
}

func same(a, b backend.Tokens) bool {
	return slices.Equal(a.IDs, b.IDs) && a.Text == b.Text && a.N == b.N
}

func TestFirstTokenComesWithTheFirstEvent(t *testing.T) {
	release := make(chan struct{})
	g := connect(t, serve(t, script(func(w http.ResponseWriter, _ *http.Request) {
		writeEvent(w, `{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`)
		writeEvent(w, `{"choices":[{"index":0,"delta":{"content":"a"}}]}`)
		<-release
		writeEvent(w, `{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}],`+
			`"usage":{"completion_tokens":2}}`)
		writeEvent(w, "[DONE]")
	})))
	s := &waitingSink{first: make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- g.Generate(context.Background(), prompt, s) }()
	<-s.first
	if len(s.complete) > 0 {
		t.Error("complete before the end")
	}
	close(release)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if s.order != "fc" || s.complete[0].Text != "ab" || s.complete[0].N != 2 {
		t.Errorf("%s: %+v", s.order, s.complete)
	}
}

type waitingSink struct {
	sink
	first chan struct{}
}

func (s *waitingSink) FirstToken(t backend.Tokens) {
	s.sink.FirstToken(t)
	close(s.first)
}

// script is a server with scripted answers. Its model has the kind vllm.
func script(answer http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"m","owned_by":"vllm"}]}`)
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		answer(w, r)
	})
	return mux
}

func writeEvent(w http.ResponseWriter, data string) {
	fmt.Fprintf(w, "data: %s\n\n", data)
	http.NewResponseController(w).Flush()
}

func write(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

// TestStreams reads valid and invalid streams of servers.
func TestStreams(t *testing.T) {
	const (
		token = `data: {"choices":[{"index":0,"text":"a","token_ids":[7]}]}` + "\n\n"
		last  = `data: {"choices":[{"index":0,"text":"","finish_reason":"stop"}]}` + "\n\n"
		end   = "data: [DONE]\n\n"
	)
	for _, c := range []struct {
		name, stream string
		n            int
		is           error
		says         string
	}{
		{name: "plain", stream: token + token + last + end, n: 2},
		{name: "carriage returns", stream: strings.ReplaceAll(token+last+end, "\n", "\r\n"), n: 1},
		{name: "comments and other fields", stream: ": ping\n\nid: 5\nretry: 1\nevent: message\n" + token +
			":\n\n" + last + end, n: 1},
		{name: "no blank after the colon", stream: strings.ReplaceAll(token+last+end, "data: ", "data:"), n: 1},
		{
			name: "data in two lines", stream: "data: {\"choices\":[{\"text\":\"a\",\ndata: \"token_ids\":[7]}]}\n\n" +
				last + end, n: 1,
		},
		{name: "no last event", stream: token + last, n: 1},
		{name: "an end token without text", stream: `data: {"choices":[{"text":"","token_ids":[2],"finish_reason":"stop"}]}` +
			"\n\n" + end, n: 1},
		{name: "events without data", stream: "data:\n\n" + token + "data: \n\n" + last + end, n: 1},
		{name: "no empty line behind the last event", stream: token + last + "data: [DONE]\n", n: 1},
		{name: "no line's end behind the last event", stream: token + "data: [DONE]", n: 1},
		{name: "no tokens", stream: `data: {"choices":[],"usage":{"completion_tokens":0}}` + "\n\n" + end, n: 0},
		{name: "one token without text", stream: `data: {"choices":[],"usage":{"completion_tokens":1}}` + "\n\n" + end, n: 1},
		{name: "log probabilities that are ids",
			stream: `data: {"choices":[{"text":"ab","logprobs":{"tokens":["token_id:5","token_id:6"]}}]}` + "\n\n" + end, n: 2},
		{
			name:   "reasoning",
			stream: `data: {"choices":[{"delta":{"reasoning_content":"hm"}}],"usage":{"completion_tokens":4}}` + "\n\n" + end,
			n:      4,
		},
		{
			name: "a tool call",
			stream: `data: {"choices":[{"delta":{"role":"assistant","content":null}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}` + "\n\n" +
				`data: {"choices":[],"usage":{"completion_tokens":4}}` + "\n\n" + end,
			n: 4,
		},
		{name: "a null error", stream: `data: {"error":null,"choices":[{"text":"a","token_ids":[7]}]}` + "\n\n" + last + end,
			n: 1},

		{name: "cut between events", stream: token, is: openai.ErrStream, says: "cut after 1 parts"},
		{name: "cut within an event", stream: token + `data: {"cho`, is: openai.ErrStream, says: "cut after 1 parts"},
		{name: "empty", stream: "", is: openai.ErrStream, says: "cut after 0 parts"},
		{name: "no JSON", stream: token + "data: {oops}\n\n" + end, is: openai.ErrStream, says: `"{oops}"`},
		{name: "no object", stream: token + "data: 17\n\n" + end, is: openai.ErrStream, says: `"17"`},
		{name: "a negative id", stream: `data: {"choices":[{"text":"a","token_ids":[-7]}]}` + "\n\n" + end,
			is: openai.ErrStream, says: "token_ids"},
		{name: "no count", stream: `data: {"choices":[{"text":"a"}]}` + "\n\n" + last + end, n: backend.Uncounted},
		{name: "no count of reasoning", stream: `data: {"choices":[{"delta":{"reasoning_content":"h"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n" + last + end, is: openai.ErrStream,
			says: "how many tokens"},
		{name: "no count of a tool call", stream: `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"function_call":{"arguments":"{}"}}}]}` + "\n\n" + last + end, is: openai.ErrStream,
			says: "how many tokens"},
		{name: "a negative count", stream: `data: {"choices":[],"usage":{"completion_tokens":-1}}` + "\n\n" + end,
			is: openai.ErrStream, says: "completion_tokens are -1"},
		{name: "nothing at all", stream: end, is: openai.ErrStream, says: "how many tokens"},
		{name: "counts that differ", stream: token + `data: {"usage":{"completion_tokens":9}}` + "\n\n" + end,
			is: openai.ErrStream, says: "1 token ids and reports 9"},
		{name: "an error in the stream", stream: token + `data: {"error":{"message":"out of memory","code":500}}` + "\n\n" +
			end, is: openai.ErrServer, says: "out of memory"},
		{name: "an error as an object", stream: token + `data: {"object":"error","message":"too long","code":400}` + "\n\n",
			is: openai.ErrServer, says: "too long"},
		{name: "an error as text", stream: `data: {"error":"sad"}` + "\n\n", is: openai.ErrServer, says: "sad"},
		{name: "an error event", stream: token + "event: error\ndata: broken\n\n", is: openai.ErrServer, says: "broken"},
		{name: "llama.cpp's error", stream: token + `error: {"code":500,"message":"context shift"}` + "\n\n",
			is: openai.ErrServer, says: "context shift"},
		{name: "an aborted answer", stream: token + `data: {"choices":[{"text":"","finish_reason":"abort"}]}` + "\n\n" + end,
			is: openai.ErrServer, says: "abort"},
		{name: "an endless event", stream: "data: " + strings.Repeat("x", 5<<20), is: openai.ErrStream,
			says: "more than 4 MiB"},
		{name: "an endless answer", stream: strings.Repeat(`data: {"choices":[{"text":"`+strings.Repeat("x", 1<<20)+
			`"}]}`+"\n\n", 20), is: openai.ErrStream, says: "it goes on behind 16 MiB"},
		{name: "an endless answer of nothing", stream: strings.Repeat("data: {}\n\n", 2<<20), is: openai.ErrStream,
			says: "it goes on behind 16 MiB"},
		{name: "an event of many lines", stream: strings.Repeat("data:\n", 600_000) + "\n", is: openai.ErrStream,
			says: "not what the API has"},
		{name: "a long reason", stream: `data: {"error":"` + strings.Repeat("x", 3<<20) + `"}` + "\n\n",
			is: openai.ErrServer, says: "xxx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := connect(t, serve(t, script(write(c.stream))), "retries=0")
			s, err := generate(t, g, prompt)
			if c.is != nil {
				if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || len(s.complete) > 0 ||
					len(err.Error()) > 8<<10 {
					t.Errorf("%.9000v, want one that says %q; complete: %v", err, c.says, s.complete)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if order := map[bool]string{true: "fc", false: "c"}[c.n != 0]; s.order != order || s.complete[0].N != c.n {
				t.Errorf("%s: %+v, want %d tokens", s.order, s.complete, c.n)
			}
		})
	}
}

func TestOtherContent(t *testing.T) {
	g := connect(t, serve(t, script(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"text":"all at once"}]}`)
	})))
	if _, err := generate(t, g, prompt); !errors.Is(err, openai.ErrStream) ||
		!strings.Contains(err.Error(), "does the server stream") {
		t.Error(err)
	}
}

// TestMinimumOfTokens checks that answers of servers without a field for a minimum are checked for their length.
func TestMinimumOfTokens(t *testing.T) {
	for _, c := range []struct {
		owner   string
		answers int
		says    string
	}{
		{"llamacpp", 2, ""},
		{"llamacpp", 1, "kind llamacpp has no field for a minimum; --param min_new_tokens=1"},
		{"vllm", 1, "asked for it by min_tokens"},
	} {
		g := connect(t, serve(t, openaitest.New(openaitest.Options{Owner: c.owner, Tokens: c.answers})))
		_, err := generate(t, g, backend.Prompt{Tokens: []int32{1}, MinNewTokens: 2, MaxNewTokens: 4})
		if c.says == "" && err == nil {
			continue
		}
		if err == nil || c.says == "" || !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestPromptsThatCannotBeAsked(t *testing.T) {
	for _, c := range []struct {
		owner  string
		option string
		prompt backend.Prompt
		says   []string
	}{
		{"openai", "", backend.Prompt{Tokens: []int32{1}, Beams: 4}, []string{"0 new tokens", "no beam search"}},
		{"vllm", "api=chat", prompt, []string{"api=completions"}},
		{"vllm", "api=completions", backend.Prompt{Messages: []backend.ChatMessage{{}}, MaxNewTokens: 1},
			[]string{"api=chat"}},
		{"vllm", "", backend.Prompt{MaxNewTokens: 1}, []string{"neither token ids nor text"}},
	} {
		var options []string
		if c.option != "" {
			options = []string{c.option}
		}
		g := connect(t, serve(t, openaitest.New(openaitest.Options{Owner: c.owner})), options...)
		_, err := generate(t, g, c.prompt)
		if !errors.Is(err, openai.ErrPrompt) {
			t.Fatalf("%+v: %v", c, err)
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
	}
}
