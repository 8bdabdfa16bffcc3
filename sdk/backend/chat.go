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
	// Parts are texts and pictures, in order, instead of Content.
	Parts []MessagePart
	// NoContent omits the content, for an assistant's turn that contains only calls.
	NoContent bool
	Name      string     // of the speaker, if a role has several; empty: not given
	Reasoning string     // what the assistant thought before it answered
	Calls     []ToolCall // tools that the assistant called
	CallID    string     // of a tool's turn: the ID of the call that it answers
}

// MessagePart is a part of a message: a text or a picture.
type MessagePart struct {
	Text string
	// ImageURL is the address of a picture, "https://...", or the picture itself, "data:image/png;base64,...". Empty: a
	// text.
	ImageURL string
}

// ToolCall is a tool that a model calls.
type ToolCall struct {
	ID        string // the tool's answer refers to it; empty: none
	Type      string // empty: "function"
	Name      string // empty: the model named none
	Arguments string // JSON as a text, as the model wrote it: it may be none
	// Raw is the call as JSON if it arrived in one piece. It may contain more, such as arguments that are not text.
	Raw json.RawMessage
}

// AppendChat appends a prompt's chat as fields of a request: "messages":[...] and, if set, "tools":[...] and
// "tool_choice":"...", separated by commas. A prompt of text becomes a single question.
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

// Append appends the part as JSON in the form of the chat API.
func (p MessagePart) Append(dst []byte) []byte {
	if p.ImageURL == "" {
		return append(appendText(append(dst, `{"type":"text","text":`...), p.Text), '}')
	}
	return append(appendText(append(dst, `{"type":"image_url","image_url":{"url":`...), p.ImageURL), "}}"...)
}

// AppendCalls appends calls as a JSON list in the form of the chat API. Each entry is Raw if set; otherwise it contains
// the type, the function's arguments and name, and the ID. An empty name or ID is omitted.
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

// PartsTaker is an optional interface of a Generator that reports whether it accepts messages with Parts. A Generator
// without it does not.
type PartsTaker interface {
	TakesParts() bool
}

// ToolsTaker is an optional interface of a Generator that reports whether it accepts prompts with Tools and returns
// calls of them. A Generator without it does neither.
type ToolsTaker interface {
	TakesTools() bool
}
