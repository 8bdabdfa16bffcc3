package backend

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// ChatMessage is one turn of a chat.
type ChatMessage struct {
	Role    string // "system", "user", "assistant", "tool"
	Content string
	// Parts are texts and pictures in turn, in place of Content.
	Parts []MessagePart
	// NoContent leaves the content out: of an assistant's turn that has nothing but calls.
	NoContent bool
	Name      string     // of who speaks, where there are several of a role; empty: not said
	Reasoning string     // what the assistant thought before it answered
	Calls     []ToolCall // tools that the assistant called
	CallID    string     // of a tool's turn: the ID of the call that it answers
}

// MessagePart is a part of a message: a text or a picture.
type MessagePart struct {
	Text string
	// ImageURL is where a picture is, "https://...", or the picture itself, "data:image/png;base64,...". Empty: a text.
	ImageURL string
}

// ToolCall is a tool that a model calls.
type ToolCall struct {
	ID        string // by which the tool's answer names it; empty: it has none
	Type      string // empty: "function"
	Name      string // empty: the model named none
	Arguments string // JSON as a text, as the model wrote it: it may be none
	// Raw is the call as JSON where it came in one piece: it may have more, such as arguments that are no text.
	Raw json.RawMessage
}

// AppendChat appends a prompt's chat as fields of a request: "messages":[...], and behind commas "tools":[...] and
// "tool_choice":"..." where there are any. A prompt of text is its one question.
func AppendChat(dst []byte, p Prompt) []byte {
	messages := p.Messages
	if len(messages) == 0 {
		messages = []ChatMessage{{Role: "user", Content: p.Text}}
	}
	dst = append(dst, `"messages":[`...)
	for i, m := range messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.appendJSON(dst)
	}
	dst = append(dst, ']')
	if len(p.Tools) > 0 {
		dst = append(append(dst, `,"tools":`...), p.Tools...)
	}
	if p.ToolChoice != "" {
		dst = appendText(append(dst, `,"tool_choice":`...), p.ToolChoice)
	}
	return dst
}

func (m *ChatMessage) appendJSON(dst []byte) []byte {
	dst = appendText(append(dst, `{"role":`...), m.Role)
	switch {
	case len(m.Parts) > 0:
		dst = append(dst, `,"content":[`...)
		for i, part := range m.Parts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = part.Append(dst)
		}
		dst = append(dst, ']')
	case !m.NoContent:
		dst = appendText(append(dst, `,"content":`...), m.Content)
	}
	for _, f := range [...]struct{ name, value string }{
		{"name", m.Name}, {"reasoning_content", m.Reasoning}, {"tool_call_id", m.CallID},
	} {
		if f.value != "" {
			dst = appendText(append(append(append(dst, `,"`...), f.name...), `":`...), f.value)
		}
	}
	if len(m.Calls) > 0 {
		dst = AppendCalls(append(dst, `,"tool_calls":`...), m.Calls)
	}
	return append(dst, '}')
}

// Append appends a part as JSON, in the form in which the API of chats has it.
func (p MessagePart) Append(dst []byte) []byte {
	if p.ImageURL == "" {
		return append(appendText(append(dst, `{"type":"text","text":`...), p.Text), '}')
	}
	return append(appendText(append(dst, `{"type":"image_url","image_url":{"url":`...), p.ImageURL), "}}"...)
}

// AppendCalls appends calls as a JSON list, in the form in which the API of chats has them: Raw where there is one;
// else the type, the function's arguments and name, and the ID, of which name and ID are left out where they are empty.
func AppendCalls(dst []byte, calls []ToolCall) []byte {
	dst = append(dst, '[')
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.appendJSON(dst)
	}
	return append(dst, ']')
}

func (c ToolCall) appendJSON(dst []byte) []byte {
	if c.Raw != nil {
		return append(dst, c.Raw...)
	}
	dst = appendUnescaped(append(dst, `{"type":`...), cmp.Or(c.Type, "function"))
	dst = appendUnescaped(append(dst, `,"function":{"arguments":`...), c.Arguments)
	if c.Name != "" {
		dst = appendUnescaped(append(dst, `,"name":`...), c.Name)
	}
	dst = append(dst, '}')
	if c.ID != "" {
		dst = appendUnescaped(append(dst, `,"id":`...), c.ID)
	}
	return append(dst, '}')
}

// appendText appends a string as JSON.
func appendText(dst []byte, text string) []byte {
	if isPlain(text) {
		return append(append(append(dst, '"'), text...), '"')
	}
	quoted, err := json.Marshal(text)
	if err != nil { // not for strings
		return append(dst, `""`...)
	}
	return append(dst, quoted...)
}

// isPlain says that each character of a text stands for itself in JSON, as in a picture in base 64.
func isPlain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

// appendUnescaped appends a string as JSON, in which <, > and & stay as they are.
func appendUnescaped(dst []byte, text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil { // not for strings
		return append(dst, `""`...)
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// PartsTaker is an optional interface of a Generator: whether it takes messages with Parts. One without it takes none.
type PartsTaker interface {
	TakesParts() bool
}

// ToolsTaker is an optional interface of a Generator: whether it takes prompts with Tools and reports calls of them.
// One without it does neither.
type ToolsTaker interface {
	TakesTools() bool
}
