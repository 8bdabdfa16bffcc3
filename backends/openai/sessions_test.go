package openai_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

const chatScript = `{"contains":"weather","reasoning":"let me see","calls":[` +
	`{"id":"i0","name":"get","arguments":"{\"a\":1}"},{"id":"i1","name":"put","arguments":{"b":2}}]}
{"contains":"refuse","status":400}
{"contains":"break","text":"one two three","cut":1}
{"contains":"half a call","calls":[{"id":"i0","name":"get","arguments":"{\"a\":1}"},{"id":"i1","name":"put"}],"cut":1}
{"contains":"","text":"a <b> \"c\"","finish":"length"}
`

// scripted starts a scripted server that stores its requests.
func scripted(t *testing.T, asked *[]*http.Request, bodies *[]string) http.Handler {
	t.Helper()
	s, err := openaitest.ReadScript(strings.NewReader(chatScript))
	if err != nil {
		t.Fatal(err)
	}
	o := openaitest.Options{Owner: "vllm"}
	s.Configure(&o)
	reply := o.Reply
	o.Reply = func(ask *openaitest.Request) *openaitest.Reply {
		*bodies = append(*bodies, string(ask.Body))
		return reply(ask)
	}
	server := openaitest.New(o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			*asked = append(*asked, r)
		}
		server.ServeHTTP(w, r)
	})
}

// TestChats sends chats to a scripted server, streamed and unstreamed.
func TestChats(t *testing.T) {
	for _, stream := range []string{"true", "false"} {
		var asked []*http.Request
		var bodies []string
		g := connect(t, serve(t, scripted(t, &asked, &bodies)), "retries=0")
		if !g.TakesParts() || !g.TakesTools() {
			t.Fatal("it takes neither parts nor tools")
		}
		generate := func(text string) (backend.Tokens, error) {
			fields := map[string]json.RawMessage{"stream": json.RawMessage(stream)}
			if stream == "true" {
				fields["stream_options"] = json.RawMessage(`{"include_usage":true}`)
			}
			var s sink
			err := g.Generate(context.Background(), backend.Prompt{
				Messages: []backend.ChatMessage{{Role: "user", Parts: []backend.MessagePart{{Text: text}, {ImageURL: "data:,"}}}},
				Fields:   fields, Session: "one",
			}, &s)
			if err != nil {
				return backend.Tokens{}, err
			}
			if s.order != "fc" {
				t.Errorf("reported as %s", s.order)
			}
			return s.complete[0], nil
		}
		got, err := generate("the weather")
		calls := string(backend.AppendCalls(nil, got.Calls))
		if err != nil || got.Reasoning != "let me see" || got.Text != "" || got.Finish != "tool_calls" ||
			len(got.Calls) != 2 || got.Calls[0].Name != "get" || got.Calls[0].Arguments != `{"a":1}` ||
			got.Calls[1].ID != "i1" || got.Calls[1].Arguments != `{"b":2}` || !strings.Contains(calls, `"i0"`) {
			t.Errorf("stream %s: %+v, %v", stream, got, err)
		}
		got, err = generate("anything")
		if err != nil || got.Text != `a <b> "c"` || got.Finish != "length" || got.N != 3 || got.Calls != nil {
			t.Errorf("stream %s: %+v, %v", stream, got, err)
		}
		if _, err = generate("refuse"); err == nil || !strings.Contains(err.Error(), "told to refuse") {
			t.Errorf("stream %s: %v, want the server's words", stream, err)
		}
		if _, err = generate("break"); err == nil {
			t.Errorf("stream %s: an answer that breaks is none", stream)
		}
		if got, err = generate("half a call"); err == nil {
			t.Errorf("stream %s: a call that breaks is none: %+v", stream, got)
		}
		if id := asked[0].Header.Get("X-Session-ID"); id != "one" {
			t.Errorf("session %q", id)
		}
		salt := func(body string) string {
			_, s, _ := strings.Cut(body, `cache_salt":"`)
			s, _, _ = strings.Cut(s, `"`)
			return s
		}
		if s := salt(bodies[0]); s == "" || s != salt(bodies[1]) {
			t.Errorf("salts of one session: %q and %q", s, salt(bodies[1]))
		}
	}
}

// TestCachedTurns checks that a server may reuse its cache of a conversation for the next turn, and for nothing else.
func TestCachedTurns(t *testing.T) {
	cached := []int{0, 30, 31, 5, 3}
	n := -1
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"data":[{"id":"m","owned_by":"llamacpp"}]}`))
			return
		}
		n++
		text, err := json.Marshal(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"content": "a"}, "finish_reason": "stop"}},
			"usage": map[string]any{"prompt_tokens": 20, "completion_tokens": 10,
				"prompt_tokens_details": map[string]any{"cached_tokens": cached[n]}},
		})
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			t.Error(err)
		}
	})
	g := connect(t, serve(t, handler))
	for i, c := range []struct {
		session string
		want    error
	}{{"a", nil}, {"a", nil}, {"a", openai.ErrPrefixCache}, {"b", openai.ErrPrefixCache}, {"", openai.ErrPrefixCache}} {
		var s sink
		err := g.Generate(context.Background(), backend.Prompt{
			Messages: []backend.ChatMessage{{Role: "user", Content: "q"}}, Fields: map[string]json.RawMessage{},
			Session: c.session,
		}, &s)
		if !errors.Is(err, c.want) {
			t.Errorf("request %d, of which %d tokens are cached: %v, want %v", i, cached[i], err, c.want)
		}
	}
}

// TestConversationsHaveOneServer checks that all turns of a conversation go to the same server while other
// conversations use others, and that a turn fails if its server is busy.
func TestConversationsHaveOneServer(t *testing.T) {
	var mu sync.Mutex
	asked := map[string][2]int{} // by session, of each server
	var urls []string
	for i := range 2 {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`))
				return
			}
			id := r.Header.Get("X-Session-ID")
			mu.Lock()
			n := asked[id]
			n[i]++
			asked[id] = n
			mu.Unlock()
			if id == "busy" {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],` +
				`"usage":{"prompt_tokens":20,"completion_tokens":10}}`))
		})
		urls = append(urls, serve(t, handler))
	}
	g := connect(t, strings.Join(urls, ","))
	ask := func(session string) error {
		return g.Generate(t.Context(), backend.Prompt{Messages: []backend.ChatMessage{{Role: "user", Content: "q"}},
			Fields: map[string]json.RawMessage{}, Session: session}, &sink{})
	}
	for range 5 {
		for _, session := range []string{"a", "b", "c", "d"} {
			if err := ask(session); err != nil {
				t.Fatal(err)
			}
		}
	}
	servers := [2]int{}
	for session, n := range asked {
		if n != [2]int{5, 0} && n != [2]int{0, 5} {
			t.Errorf("conversation %s: %v turns at the servers", session, n)
		}
		servers[0], servers[1] = servers[0]+n[0], servers[1]+n[1]
	}
	if servers[0] == 0 || servers[1] == 0 {
		t.Errorf("conversations are at the servers %v", servers)
	}
	if err := ask("busy"); !errors.Is(err, openai.ErrServer) {
		t.Errorf("a busy server: %v", err)
	}
	if n := asked["busy"]; n[0]+n[1] != 1 || g.Report().Retried != 0 {
		t.Errorf("a turn was asked %v times", n)
	}
	if err := ask("a"); err != nil { // also where its server was busy
		t.Error(err)
	}
}

// realTools contains tools for chats with a real server.
const realTools = `[{"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":` +
	`{"command":{"type":"string"}},"required":["command"]}}}]`

// TestRealServerKeepsConversations sends turns of conversations with tools to the server that the variable names. Its
// cache may be reused only within a conversation. testdata/llamacpp.py --chat starts such a server.
func TestRealServerKeepsConversations(t *testing.T) {
	g := realChats(t)
	system := backend.ChatMessage{Role: "system", Content: strings.Repeat("You work in a shell. ", 8)}
	call := backend.ToolCall{ID: "c1", Name: "bash", Arguments: `{"command":"ls"}`}
	talk := []backend.ChatMessage{system, {Role: "user", Content: "What is here?"},
		{Role: "assistant", Calls: []backend.ToolCall{call}}, {Role: "tool", CallID: "c1", Content: "a.txt"}}
	other := []backend.ChatMessage{system, {Role: "user", Content: "What time is it?"}}
	for i, c := range []struct {
		session  string
		messages []backend.ChatMessage
	}{{"a", talk[:2]}, {"a", talk}, {"b", other}, {"", other}} {
		before := g.Report().CachedTokens
		answer := realAnswer(t, g, backend.Prompt{Messages: c.messages, Tools: json.RawMessage(realTools), ToolChoice: "auto",
			Session: c.session})
		kept := g.Report().CachedTokens - before
		t.Logf("request %d: %d tokens of its prompt were kept, %d in the answer, which ends by %s", i, kept, answer.N,
			answer.Finish)
		if kept > 0 && i != 1 {
			t.Errorf("request %d: %d tokens of another conversation", i, kept)
		}
	}
}

// TestRealServerSees asks the server that the variable names about a picture and about an invalid one.
// testdata/llamacpp.py --chat --sees starts such a server.
func TestRealServerSees(t *testing.T) {
	g := realChats(t)
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewRGBA(image.Rect(0, 0, 32, 32))); err != nil {
		t.Fatal(err)
	}
	ask := func(picture []byte) backend.Prompt {
		url := "data:image/PNG;base64," + base64.StdEncoding.EncodeToString(picture)
		return backend.Prompt{Messages: []backend.ChatMessage{
			{Role: "user", Parts: []backend.MessagePart{{Text: "What is it?"}, {ImageURL: url}}},
		}}
	}
	var s sink
	err := g.Generate(t.Context(), realFields(ask(dot.Bytes())), &s)
	if err != nil && strings.Contains(err.Error(), "image input is not supported") {
		t.Skip("the server's model does not see")
	}
	if err != nil || len(s.complete) != 1 || s.complete[0].N == 0 {
		t.Fatalf("%+v, %v", s.complete, err)
	}
	err = g.Generate(t.Context(), realFields(ask([]byte("no picture"))), &s)
	t.Log(err)
	if err == nil || len(s.complete) != 1 {
		t.Errorf("a picture that is none: %+v, %v", s.complete, err)
	}
}

// realChats connects to the server that the variable names.
func realChats(t *testing.T) *openai.Generator {
	t.Helper()
	url := os.Getenv(realVariable)
	if url == "" {
		t.Skip("no server: " + realVariable + " is not set")
	}
	return connect(t, url)
}

// realFields adds the fields for a short stream.
func realFields(p backend.Prompt) backend.Prompt {
	p.Fields = map[string]json.RawMessage{}
	for name, v := range map[string]string{
		"temperature": "0", "seed": "42", "max_completion_tokens": "8", "stream": "true",
		"stream_options": `{"include_usage":true}`,
	} {
		p.Fields[name] = json.RawMessage(v)
	}
	return p
}

// realAnswer returns a whole answer.
func realAnswer(t *testing.T, g *openai.Generator, p backend.Prompt) backend.Tokens {
	t.Helper()
	var s sink
	if err := g.Generate(t.Context(), realFields(p), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.complete) != 1 || s.complete[0].N == 0 || s.complete[0].Finish == "" {
		t.Fatalf("%+v", s.complete)
	}
	return s.complete[0]
}
