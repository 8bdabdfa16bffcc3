package openai

import "bytes"

// deltaType is the type of a response's event, which determines the meaning of its delta.
type deltaType uint8

const (
	untyped        deltaType = iota
	otherEvent               // no generated output
	textDelta                // text of the answer, or of a transcript
	reasoningDelta           // text that precedes the answer
	toolDelta                // a part of a tool call
	itemAdded                // beginning of a message, of reasoning or of a tool call
	lastEvent
	errorEvent
)

// eventType reads the type of an event of /v1/responses or of a transcript.
func (p *chunkParser) eventType() {
	if p.peekByte() != '"' {
		p.skipValue()
		return
	}
	switch name := p.readString(); string(name) {
	case "response.completed":
		p.deltaKind, p.chunk.finish = lastEvent, "stop"
	case "response.incomplete":
		p.deltaKind, p.chunk.finish = lastEvent, "length"
	case "transcript.text.done":
		p.deltaKind, p.chunk.finish = otherEvent, "stop"
	case "response.failed", "error":
		p.deltaKind = errorEvent
	case "response.output_item.added":
		p.deltaKind = itemAdded
	case "transcript.text.delta", "response.output_text.delta", "response.refusal.delta":
		p.deltaKind = textDelta
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta",
		"response.mcp_call_arguments.delta", "response.code_interpreter_call_code.delta":
		p.deltaKind = toolDelta
	default:
		p.deltaKind = otherEvent
		if bytes.HasPrefix(name, []byte("response.reasoning")) && bytes.HasSuffix(name, []byte(".delta")) {
			p.deltaKind = reasoningDelta
		}
	}
}

// assignDelta stores a delta according to the event's type, which may follow the delta.
func (p *chunkParser) assignDelta() {
	c := &p.chunk
	switch p.deltaKind {
	case reasoningDelta:
		c.text, c.reasoning = c.reasoning[:0], c.text
	case toolDelta:
		c.text, c.toolText = c.toolText[:0], c.text
		c.hasToolCall = len(c.toolText) > 0
	case itemAdded:
		c.hasToolCall = len(c.toolText) > 0
	case otherEvent, lastEvent, errorEvent:
		c.text, c.toolText = c.text[:0], c.toolText[:0]
	}
}

// readToolName reads the name of the called tool from an item of a response's output. Other text arrives as deltas.
func (p *chunkParser) readToolName(name *[]byte) {
	p.eachField(func(key []byte) {
		if string(key) == "name" {
			*name = p.appendText(*name)
			return
		}
		p.skipValue()
	})
}

// readResponse reads the token counts and the error of the whole response from an event.
func (p *chunkParser) readResponse() {
	p.eachField(func(key []byte) {
		switch string(key) {
		case "usage":
			p.readUsage()
		case "error":
			p.readError()
		default:
			p.skipValue()
		}
	})
}

// readOutputItem reads an item of an unstreamed response: a message, reasoning or a tool call. The type precedes the
// text.
func (p *chunkParser) readOutputItem() {
	c := &p.chunk
	to := &c.text
	p.eachField(func(key []byte) {
		switch string(key) {
		case "type":
			if p.isText("reasoning") {
				to = &c.reasoning
			}
		case "content", "summary":
			p.eachElement(func() { p.readMessagePart(to) })
		case "name", "arguments":
			c.toolText = p.appendText(c.toolText)
		default:
			p.skipValue()
		}
	})
	c.hasToolCall = c.hasToolCall || len(c.toolText) > 0
}

// readMessagePart reads a part of a message.
func (p *chunkParser) readMessagePart(to *[]byte) {
	p.eachField(func(key []byte) {
		switch string(key) {
		case "text", "refusal":
			*to = p.appendText(*to)
		default:
			p.skipValue()
		}
	})
}
