package openai

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// dropped ignores the first token.
type dropped struct{}

func (dropped) FirstToken(backend.Tokens) {}
func (dropped) Complete(backend.Tokens)   {}

// mergeCase contains the parts of a stream and the result of the official harness.
type mergeCase struct {
	Name      string
	Output    json.RawMessage // pieces of text, or the whole
	Reasoning []string
	Chunks    json.RawMessage `json:"tool_call_chunks"` // lists of parts, or whole calls
	Scored    string          `json:"scored_text"`
	Full      string          `json:"full_text"`
}

// events returns the case as a server's events.
func (c *mergeCase) events(t *testing.T) (all []string) {
	var pieces []string
	var whole string
	if json.Unmarshal(c.Output, &whole) == nil {
		message := map[string]any{"role": "assistant", "content": whole, "tool_calls": c.Chunks}
		return []string{eventOf(t, "message", message)}
	}
	if err := json.Unmarshal(c.Output, &pieces); err != nil {
		t.Fatal(err)
	}
	for _, text := range c.Reasoning {
		all = append(all, eventOf(t, "delta", map[string]any{"reasoning_content": text}))
	}
	for _, text := range pieces {
		all = append(all, eventOf(t, "delta", map[string]any{"content": text}))
	}
	var chunks []json.RawMessage
	if err := json.Unmarshal(c.Chunks, &chunks); err != nil {
		t.Fatal(err)
	}
	for _, chunk := range chunks {
		all = append(all, eventOf(t, "delta", map[string]any{"tool_calls": chunk}))
	}
	return all
}

func eventOf(t *testing.T, kind string, value any) string {
	text, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, kind: value}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestGoldenMerge compares merged tool calls with those of the official harness.
func TestGoldenMerge(t *testing.T) {
	golden.Each(t, "agentic/bfcl/merge.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[mergeCase](t, path) {
			var p chunkParser
			var a promptAnswer
			a.reset(dropped{}, countByUsage)
			for _, data := range c.events(t) {
				chunk, ok := p.parseEvent([]byte(data))
				if !ok {
					t.Fatalf("%s: %s is not read", c.Name, data)
				}
				if err := a.addChunk(chunk); err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
			}
			got, err := a.allTokens()
			if err != nil && !errors.Is(err, errUncounted) {
				t.Fatalf("%s: %v", c.Name, err)
			}
			calls := ""
			if len(got.Calls) > 0 {
				calls = string(backend.AppendCalls(nil, got.Calls))
			}
			full := got.Reasoning + got.Text + calls
			scored := calls
			if calls == "" {
				scored = full
			}
			if full != c.Full || scored != c.Scored {
				t.Errorf("%s: %s\nscored %s\nwant   %s\nscored %s", c.Name, full, scored, c.Full, c.Scored)
			}
		}
	})
}

// chat is a prompt with all properties of a chat.
func everyChat() backend.Prompt {
	return backend.Prompt{
		Messages: []backend.ChatMessage{
			{Role: "system", Content: "a <b>"},
			{Role: "user", Parts: []backend.MessagePart{{Text: "what?"}, {ImageURL: "data:image/PNG;base64,AA+/=="}}},
			{Role: "assistant", NoContent: true, Name: "n", Reasoning: "hm", Calls: []backend.ToolCall{
				{ID: "c", Name: "f", Arguments: `{"a":"<"}`}, {Raw: json.RawMessage(`{"function":{"arguments":{"b":1}}}`)},
			}},
			{Role: "tool", Content: "", CallID: "c"},
		},
		Tools: json.RawMessage(`[{"type":"function"}]`), ToolChoice: "auto", MaxNewTokens: 9,
	}
}

const chatJSON = `"messages":[{"role":"system","content":"a <b>"},` +
	`{"role":"user","content":[{"type":"text","text":"what?"},` +
	`{"type":"image_url","image_url":{"url":"data:image/PNG;base64,AA+/=="}}]},` +
	`{"role":"assistant","name":"n","reasoning_content":"hm","tool_calls":[` +
	`{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":\"<\"}"}},` +
	`{"function":{"arguments":{"b":1}}}]},` +
	`{"role":"tool","content":"","tool_call_id":"c"}],"tools":[{"type":"function"}],"tool_choice":"auto"`

// TestChatRequests checks that a benchmark with its own fields sends only those, the model, the chat, a salt and
// options body.KEY.
func TestChatRequests(t *testing.T) {
	null := map[string]json.RawMessage{"temperature": json.RawMessage("null"), "top_p": json.RawMessage("1")}
	stream := map[string]json.RawMessage{"stream": json.RawMessage("true")}
	for _, c := range []struct {
		fields  map[string]json.RawMessage
		options []string
		want    string
	}{
		{map[string]json.RawMessage{}, []string{"server=llamacpp", "prefix_cache=allow"}, `{"model":"m",`},
		{map[string]json.RawMessage{}, []string{"server=vllm"}, `{"cache_salt":"s1","model":"m",`},
		{map[string]json.RawMessage{}, []string{"server=openai"}, `{"model":"m",`},
		{null, []string{"server=llamacpp"}, `{"cache_prompt":false,"model":"m","temperature":null,"top_p":1,`},
		{null, []string{"server=trtllm", "prefix_cache=allow", "body.top_p=0.8"},
			`{"cache_salt":"s1","model":"m","temperature":null,"top_p":0.8,`},
		{stream, []string{"server=sglang", "count=logprobs"}, `{"cache_salt":"s1","model":"m","stream":true,`},
	} {
		for _, written := range []bool{false, true} {
			p := everyChat()
			if p.Fields = c.fields; written {
				p.ChatJSON, p.Messages = backend.AppendChat(nil, p), nil
			}
			p.MaxNewTokens = 0
			r, err := ask(t, p, c.options...)
			if err != nil || !equalJSON(t, string(r.body), c.want+chatJSON+"}") || r.path != "/chat/completions" ||
				r.unstreamed == (c.fields["stream"] != nil) {
				t.Errorf("%v: %s, %v\nwant %s", c.options, r.body, err, c.want)
			}
		}
	}
	r, err := ask(t, everyChat(), "server=openai")
	want := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0,` +
		`"max_completion_tokens":9,` + chatJSON + "}"
	if err != nil || !equalJSON(t, string(r.body), want) {
		t.Errorf("without fields: %s, %v", r.body, err)
	}
}

func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatalf("%s\n%s\n%v", a, b, err)
	}
	return reflect.DeepEqual(x, y)
}

func TestChatsThatCannotBe(t *testing.T) {
	p := everyChat()
	p.Text, p.Fields = "a", map[string]json.RawMessage{}
	_, err := ask(t, p, "api=completions", "server=vllm")
	for _, want := range []string{"it has pictures", "it has tools", "it has fields of a chat", "api=chat"} {
		if !errors.Is(err, ErrPrompt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestCallsAsEventsHaveThem checks that arguments that are not strings are reported as JSON, also to a Client.
func TestCallsAsEventsHaveThem(t *testing.T) {
	var p chunkParser
	c, ok := p.parseEvent([]byte(`{"choices":[{"delta":{"tool_calls":[` +
		`{"function":{"name":"f","arguments":{"a": [1, 2]}}},{"function":{"arguments":7},"index":"x"}]}}]}`))
	if !ok || string(c.toolText) != `f{"a":[1,2]}7` || !c.hasToolCall || len(c.parts) != 2 || c.parts[0].raw != nil {
		t.Errorf("%+v", c)
	}
}
