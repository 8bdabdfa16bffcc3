package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var (
	_ backend.PartsTaker = (*Generator)(nil)
	_ backend.ToolsTaker = (*Generator)(nil)
)

// TakesParts reports that chats may contain pictures, unless option api selects another endpoint.
func (g *Generator) TakesParts() bool { return g.settings.api == anyAPI || g.settings.api == Chat }

// TakesTools reports that chats may contain tools, unless option api selects another endpoint.
func (g *Generator) TakesTools() bool { return g.TakesParts() }

// checkChat lists the parts of a prompt that only a chat supports, for prompts sent to another endpoint.
func (a *requestMaker) checkChat(p backend.Prompt) []string {
	if a.asksChat(p) {
		return nil
	}
	var faults []string
	hasParts := func(m backend.ChatMessage) bool { return len(m.Parts) > 0 }
	for what, has := range map[string]bool{
		"pictures": slices.ContainsFunc(p.Messages, hasParts), "tools": p.Tools != nil, "fields of a chat": p.Fields != nil,
	} {
		if has {
			faults = append(faults, "it has "+what+", which chats alone take: use option api=chat")
		}
	}
	slices.Sort(faults)
	return faults
}

func appendChat(b []byte, p backend.Prompt) []byte {
	if len(p.ChatJSON) > 0 {
		return append(b, p.ChatJSON...)
	}
	return backend.AppendChat(b, p)
}

// exactRequest writes a request with the fields of the benchmark. The backend adds only the model, a salt that
// separates the prompt in a server's cache, and the fields of options body.KEY.
func (a *requestMaker) exactRequest(p backend.Prompt, salt string, goesOn bool) serverRequest {
	fields := maps.Clone(p.Fields)
	fields["model"] = appendText(nil, a.settings.model)
	if a.settings.cache != cacheAllow && !goesOn {
		for _, f := range a.kind.noCache {
			fields[f.name] = json.RawMessage(f.value)
		}
	}
	if salt != "" && a.kind.allowsSalt(Chat) {
		fields[a.kind.salt] = appendText(nil, salt)
	}
	maps.Copy(fields, a.settings.body)
	b, _ := appendFields(append(make([]byte, 0, len(p.ChatJSON)+256), '{'), fields, "")
	return serverRequest{
		path: Chat.urlPath(), body: append(appendChat(b, p), '}'), session: p.Session,
		unstreamed: string(fields["stream"]) != "true",
	}
}

// toolCallPart is a part of a tool call from one event.
type toolCallPart struct {
	index           int64
	id, kind        string
	name, arguments []byte
	raw             json.RawMessage // the whole call, if it arrived in one event
}

// toolCall reads a tool call of a chat or a part of one.
func (p *chunkParser) toolCall() {
	if p.peekByte() != '{' {
		p.skipValue()
		return
	}
	c, start := &p.chunk, p.at
	c.parts = append(c.parts, toolCallPart{})
	of := &c.parts[len(c.parts)-1]
	p.eachField(func(key []byte) {
		switch string(key) {
		case "index":
			of.index, _ = p.readInteger()
		case "id":
			of.id = p.readText()
		case "type":
			of.kind = p.readText()
		case "function":
			p.readFunction(of)
		default:
			p.skipValue()
		}
	})
	if p.whole && !p.bad {
		of.raw = compactJSON(p.data[start:p.at])
	}
}

// readFunction reads the function of a tool call. If it has neither name nor arguments, the event does not contain a
// call yet.
func (p *chunkParser) readFunction(of *toolCallPart) {
	c := &p.chunk
	p.eachField(func(key []byte) {
		from := len(c.toolText)
		switch string(key) {
		case "name":
			c.toolText = p.appendText(c.toolText)
			of.name = c.toolText[from:]
		case "arguments":
			c.toolText = p.appendArguments(c.toolText)
			of.arguments = c.toolText[from:]
		default:
			p.skipValue()
		}
	})
	c.hasToolCall = c.hasToolCall || len(c.toolText) > 0
}

// appendArguments appends a string, or the JSON of the arguments themselves, which some servers send instead.
func (p *chunkParser) appendArguments(to []byte) []byte {
	if c := p.peekByte(); c == '"' || c == 'n' {
		return p.appendText(to)
	}
	start := p.at
	p.skipValue()
	if p.bad {
		return to
	}
	return append(to, compactJSON(p.data[start:p.at])...)
}

// compactJSON returns JSON without blanks.
func compactJSON(text []byte) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil { // cannot fail for scanned text
		return nil
	}
	return b.Bytes()
}

// partialToolCall is an incomplete tool call.
type partialToolCall struct {
	index     int64
	call      backend.ToolCall // without arguments
	arguments []byte
}

// MergedCalls contains the tool calls of one answer that its events have contained so far. The zero value is empty.
type MergedCalls struct{ calls []partialToolCall }

// AddEvent adds the tool calls of an event.
func (m *MergedCalls) AddEvent(e *ObservedEvent) { m.mergeParts(e.parts) }

// mergeParts merges parts of tool calls by index. The last non-empty id, type and name are used, and arguments are
// concatenated. Calls that arrived in one event stay unchanged.
func (m *MergedCalls) mergeParts(parts []toolCallPart) {
	for _, p := range parts {
		at, found := len(m.calls), false
		if p.raw == nil {
			at, found = slices.BinarySearchFunc(m.calls, p.index, func(c partialToolCall, index int64) int {
				return int(min(max(c.index-index, -1), 1))
			})
		}
		if !found {
			m.calls = slices.Insert(m.calls, at, partialToolCall{index: p.index, call: backend.ToolCall{Raw: p.raw}})
		}
		c := &m.calls[at]
		for _, text := range []struct {
			to   *string
			text string
		}{{&c.call.ID, p.id}, {&c.call.Type, p.kind}, {&c.call.Name, string(p.name)}} {
			if text.text != "" {
				*text.to = text.text
			}
		}
		c.arguments = append(c.arguments, p.arguments...)
	}
}

// List returns the tool calls in the order of their indices; nil: none.
func (m *MergedCalls) List() []backend.ToolCall {
	var all []backend.ToolCall
	for _, c := range m.calls {
		c.call.Name = strings.ToValidUTF8(c.call.Name, "\ufffd")
		c.call.Arguments = validUTF8(c.arguments)
		all = append(all, c.call)
	}
	return all
}
