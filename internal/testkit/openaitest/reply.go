package openaitest

import (
	"encoding/json"
	"strings"
)

// Reply is a server's reply to a chat.
type Reply struct {
	Reasoning string // sent before the text
	Text      string
	Calls     []Call // sent after the text
	Finish    string // reason for the end; "": "tool_calls" with calls, otherwise "stop"
	Fault     Fault  // fault of the reply, which replaces Options.Fault
}

// Call is a call of a tool.
type Call struct {
	ID, Name string
	// Arguments are JSON. A string is sent in pieces, as in the API. Other values are sent unchanged, as some servers do.
	Arguments json.RawMessage
}

// reply returns the result of Options.Reply for a request, or nil.
func (s *Server) reply(ask *Request, of api) *Reply {
	if of != chat || s.options.Reply == nil {
		return nil
	}
	return s.options.Reply(ask)
}

// setReply makes an answer from a reply. A token is a word, or half of a call's arguments.
func (a *answer) setReply(r *Reply) {
	if r == nil {
		return
	}
	a.reply, a.calls = r, len(r.Calls) > 0
	for _, word := range splitWords(r.Reasoning) {
		a.deltas = append(a.deltas, field("reasoning_content", word))
	}
	a.reasoningTokens = len(a.deltas)
	for _, word := range splitWords(r.Text) {
		a.deltas = append(a.deltas, field("content", word))
	}
	for i, c := range r.Calls {
		a.deltas = append(a.deltas, c.deltas(i)...)
	}
	if len(a.deltas) == 0 {
		a.deltas = []string{field("content", "")}
	}
	a.total = len(a.deltas)
}

// splitWords splits a text into words, each with the preceding blanks.
func splitWords(text string) (all []string) {
	for text != "" {
		n := len(text) - len(strings.TrimLeft(text, " "))
		end := strings.IndexByte(text[n:], ' ')
		if end < 0 {
			return append(all, text)
		}
		all, text = append(all, text[:n+end]), text[n+end:]
	}
	return all
}

// deltas returns the events of a call: its name, and its arguments in two pieces.
func (c *Call) deltas(index int) []string {
	type function struct {
		Name      string `json:"name,omitempty"`
		Arguments any    `json:"arguments"`
	}
	type part struct {
		Index    int      `json:"index"`
		ID       string   `json:"id,omitempty"`
		Type     string   `json:"type,omitempty"`
		Function function `json:"function"`
	}
	var text string
	if json.Unmarshal(c.Arguments, &text) != nil {
		return []string{field("tool_calls", []part{{index, c.ID, "function", function{c.Name, c.Arguments}}})}
	}
	half := len([]rune(text)) / 2
	return []string{
		field("tool_calls", []part{{index, c.ID, "function", function{c.Name, ""}}}),
		field("tool_calls", []part{{Index: index, Function: function{Arguments: string([]rune(text)[:half])}}}),
		field("tool_calls", []part{{Index: index, Function: function{Arguments: string([]rune(text)[half:])}}}),
	}
}

// message returns the reply in one piece, without its role.
func (r *Reply) message() string {
	parts := []string{field("content", r.Text)}
	if r.Text == "" && len(r.Calls) > 0 {
		parts[0] = `"content":null`
	}
	if r.Reasoning != "" {
		parts = append(parts, field("reasoning_content", r.Reasoning))
	}
	type function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	type whole struct {
		ID       string   `json:"id,omitempty"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	var calls []whole
	for _, c := range r.Calls {
		calls = append(calls, whole{c.ID, "function", function{c.Name, c.Arguments}})
	}
	if calls != nil {
		parts = append(parts, field("tool_calls", calls))
	}
	return strings.Join(parts, ",")
}

func (r *Reply) finish() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// field returns a field of a JSON object. Arguments that are not JSON become null.
func field(name string, value any) string {
	text, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return `"` + name + `":null`
	}
	return string(text[1 : len(text)-1])
}
