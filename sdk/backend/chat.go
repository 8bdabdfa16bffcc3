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
	// Parts contains texts and pictures, in order. It replaces Content.
	Parts []MessagePart
	// NoContent omits the content of an assistant's turn that contains only calls.
	NoContent bool
	Name      string     // name of the speaker, if a role has several; empty: not given
	Reasoning string     // the assistant's thoughts before the answer
	Calls     []ToolCall // calls of tools by the assistant
	CallID    string     // in a tool's turn: the ID of the call that it answers
}

// MessagePart is a part of a message: a text or a picture.
type MessagePart struct {
	Text string
	// ImageURL is the address of a picture, "https://...", or the picture itself, "data:image/png;base64,...". Empty: the
	// part is a text.
	ImageURL string
}

// ToolCall is a model's call of a tool.
type ToolCall struct {
	ID        string // identifies the call in the tool's answer; empty: none
	Type      string // empty: "function"
	Name      string // empty: the model gave no name
	Arguments string // the model's text, which should be JSON but may be invalid
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
	if err != nil { // impossible for strings
		return append(dst, `""`...)
	}
	return append(dst, quoted...)
}

// isPlain reports whether each character of a text represents itself in JSON, as in a picture in base 64.
func isPlain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

// appendUnescaped appends a string as JSON without escaping <, > and &.
func appendUnescaped(dst []byte, text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil { // impossible for strings
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
