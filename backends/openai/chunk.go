package openai

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// answerChunk contains the content of one event of a stream, or of an unstreamed answer. Its memory is reused.
type answerChunk struct {
	text         []byte         // generated text of the first choice
	reasoning    []byte         // generated text that is not part of the answer: reasoning
	toolText     []byte         // names and arguments of tool calls, or parts of them
	ids          []int32        // ids of all generated tokens, if the server reports them
	loggedTokens int            // number of tokens with log probabilities
	parts        []toolCallPart // parts of a chat's tool calls; their texts are in called
	hasToolCall  bool           // the chunk contains a part of a tool call
	finish       string         // why the answer ended; "": it has not ended
	usage        usageCounts
	results      int    // number of embeddings or ranked documents
	fault        string // the server's error message; "": none
	hasFault     bool
}

// usageCounts contains the server's token counts.
type usageCounts struct {
	known      bool  // completion is set
	completion int64 // generated tokens
	cached     int64 // tokens of the prompt that were cached
	prompt     int64
	reasoning  int64       // generated tokens that are not part of the answer
	reported   usageFields // the other counts that the server reports
	invalid    string      // the first invalid count with its name; "": all are valid
}

// usageFields is the set of counts that a server reports.
type usageFields uint8

const (
	reportsPrompt usageFields = 1 << iota
	reportsReasoning
	reportsCached
)

// addLater merges a later record of the same answer.
func (u *usageCounts) addLater(later usageCounts) {
	if later.known {
		u.known, u.completion = true, later.completion
	}
	if later.reported&reportsPrompt != 0 {
		u.prompt = later.prompt
	}
	if later.reported&reportsReasoning != 0 {
		u.reasoning = later.reasoning
	}
	u.cached = max(u.cached, later.cached)
	u.reported |= later.reported
	u.invalid = cmp.Or(u.invalid, later.invalid)
}

// answerState contains the usage and the finish reason received so far.
type answerState struct {
	usage  usageCounts
	finish string // why the answer ended; "": it has not ended
}

// addState adds the content of a chunk.
func (s *answerState) addState(c *answerChunk) {
	s.usage.addLater(c.usage)
	if c.finish != "" {
		s.finish = c.finish
	}
}

// endsBy reports whether an answer is complete although its stream ended before the last event. Some servers omit that
// event but state why the answer ended.
func (s *answerState) endsBy(ended error) bool { return errors.Is(ended, io.EOF) && s.finish != "" }

// isToken reports whether the chunk contains generated output.
func (c *answerChunk) isToken() bool {
	return len(c.text) > 0 || len(c.ids) > 0 || c.loggedTokens > 0 || c.hasToolCall || len(c.reasoning) > 0
}

// chunkParser parses chunks. It supports one stream at a time.
type chunkParser struct {
	jsonScanner
	chunk     answerChunk
	index     int64     // index of the current choice
	whole     bool      // the current choice is a whole message
	deltaKind deltaType // type of the current event
}

// parseEvent parses the data of an event. The chunk is valid until the next call. ok is false if data is not a JSON
// object.
func (p *chunkParser) parseEvent(data []byte) (c *answerChunk, ok bool) {
	p.reset(data)
	c = &p.chunk
	*c = answerChunk{text: c.text[:0], reasoning: c.reasoning[:0], toolText: c.toolText[:0], ids: c.ids[:0],
		parts: c.parts[:0]}
	p.deltaKind = untyped
	if p.peekByte() != '{' {
		return c, false
	}
	var message string
	isError := false
	p.eachField(func(key []byte) {
		switch string(key) {
		case "choices":
			p.eachElement(p.readChoice)
		case "usage":
			p.readUsage()
		case "timings":
			p.readTimings()
		case "delta": // of a transcript or a response
			c.text = p.appendText(c.text)
		case "type":
			p.eventType()
		case "error":
			p.readError()
		case "object":
			isError = p.isText("error")
		case "message":
			message = p.readText()
		default:
			p.readOther(key)
		}
	})
	p.requireEnd()
	p.assignDelta()
	if (isError || p.deltaKind == errorEvent) && !c.hasFault {
		c.fault, c.hasFault = message, true
	}
	return c, !p.bad
}

// readOther reads keys that streams of completions and chats do not contain: parts of responses, and lists of results.
func (p *chunkParser) readOther(key []byte) {
	switch string(key) {
	case "item":
		p.readToolName(&p.chunk.toolText)
	case "response":
		p.readResponse()
	case "output": // of an unstreamed response
		p.eachElement(p.readOutputItem)
	case "data", "results":
		p.eachElement(func() {
			p.chunk.results++
			p.skipValue()
		})
	default:
		p.skipValue()
	}
}

// readText reads a string, or skips another value and returns "".
func (p *chunkParser) readText() string {
	if p.peekByte() != '"' {
		p.skipValue()
		return ""
	}
	return string(p.readString())
}

// isText reports whether the value is the string want.
func (p *chunkParser) isText(want string) bool {
	if p.peekByte() != '"' {
		p.skipValue()
		return false
	}
	return string(p.readString()) == want
}

// readChoice reads one choice. It drops all choices except the first. The index precedes the other keys, or is 0.
func (p *chunkParser) readChoice() {
	p.index = 0
	p.eachField(func(key []byte) {
		if p.index != 0 {
			p.skipValue()
			return
		}
		switch string(key) {
		case "index":
			p.index, _ = p.readInteger()
		case "text":
			p.chunk.text = p.appendText(p.chunk.text)
		case "delta", "message":
			p.whole = string(key) == "message"
			p.readDelta()
		case "token_ids":
			p.eachElement(func() { p.chunk.ids = append(p.chunk.ids, p.readTokenID()) })
		case "logprobs":
			p.readLogprobs()
		case "finish_reason":
			p.chunk.finish = p.readText()
		default:
			p.skipValue()
		}
	})
}

// appendText appends a string, or skips another value.
func (p *chunkParser) appendText(to []byte) []byte {
	if p.peekByte() != '"' {
		p.skipValue()
		return to
	}
	return append(to, p.readString()...)
}

// readDelta reads a part of a chat's answer, or the whole answer.
func (p *chunkParser) readDelta() {
	c := &p.chunk
	p.eachField(func(key []byte) {
		switch string(key) {
		case "content", "refusal":
			p.readContent()
		case "reasoning_content", "reasoning":
			if len(c.reasoning) > 0 { // some servers send it under both names
				p.skipValue()
				return
			}
			c.reasoning = p.appendText(c.reasoning)
		case "tool_calls":
			p.eachElement(p.toolCall)
		case "function_call":
			p.readFunction(&toolCallPart{})
		default:
			p.skipValue()
		}
	})
}

// readContent reads the text of a message: a string, or a list of parts that may include reasoning.
func (p *chunkParser) readContent() {
	if p.peekByte() == '[' {
		p.readParts(&p.chunk.text)
		return
	}
	p.chunk.text = p.appendText(p.chunk.text)
}

// readParts reads a list of parts: strings, and objects with text or with nested reasoning.
func (p *chunkParser) readParts(to *[]byte) {
	p.eachElement(func() {
		if p.peekByte() != '{' {
			*to = p.appendText(*to)
			return
		}
		p.eachField(func(key []byte) {
			switch {
			case string(key) == "text":
				*to = p.appendText(*to)
			case string(key) == "thinking" && p.peekByte() == '[':
				p.readParts(&p.chunk.reasoning)
			case string(key) == "thinking":
				p.chunk.reasoning = p.appendText(p.chunk.reasoning)
			default:
				p.skipValue()
			}
		})
	})
}

// readLogprobs reads the tokens with log probabilities: a list of strings in completions, and of objects in chats.
func (p *chunkParser) readLogprobs() {
	p.eachField(func(key []byte) {
		switch string(key) {
		case "tokens":
			p.eachElement(p.readLoggedToken)
		case "content":
			p.eachElement(p.loggedObject)
		default:
			p.skipValue()
		}
	})
}

// loggedObject reads a token of a chat or of llama.cpp, which adds the token's id.
func (p *chunkParser) loggedObject() {
	p.eachField(func(key []byte) {
		switch string(key) {
		case "id":
			p.chunk.ids = append(p.chunk.ids, p.readTokenID())
		case "token":
			p.readLoggedToken()
		default:
			p.skipValue()
		}
	})
}

// idPrefix precedes the id with which vLLM replaces a token's text.
const idPrefix = "token_id:"

func (p *chunkParser) readLoggedToken() {
	p.chunk.loggedTokens++
	if p.peekByte() != '"' {
		p.skipValue()
		return
	}
	digits, isID := bytes.CutPrefix(p.readString(), []byte(idPrefix))
	if !isID {
		return
	}
	id, err := strconv.ParseInt(string(digits), 10, 32)
	if err != nil || id < 0 {
		p.bad = true
		return
	}
	p.chunk.ids = append(p.chunk.ids, int32(id))
}

func (p *chunkParser) readUsage() {
	u := &p.chunk.usage
	p.eachField(func(key []byte) {
		switch string(key) {
		case "completion_tokens", "output_tokens":
			u.completion, u.known = p.readTokenCount(key)
		case "prompt_tokens", "input_tokens":
			if n, ok := p.readTokenCount(key); ok {
				u.prompt, u.reported = n, u.reported|reportsPrompt
			}
		case "prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details":
			p.eachField(p.readUsageDetail)
		default:
			p.readUsageDetail(key)
		}
	})
}

// readUsageDetail reads counts other than the two main ones. They are usually in a nested object; SGLang puts them next
// to the main counts.
func (p *chunkParser) readUsageDetail(key []byte) {
	u := &p.chunk.usage
	switch string(key) {
	case "cached_tokens":
		p.setTokenCount(&u.cached, reportsCached)
	case "reasoning_tokens":
		p.setTokenCount(&u.reasoning, reportsReasoning)
	default:
		p.skipValue()
	}
}

// maxTokens is the maximum number of tokens of one prompt or answer. It exceeds all context lengths.
const maxTokens = 1 << 31

// readTokenCount reads a token count by its name: an integer in any notation (16, 16.0). null counts as missing. Other
// values are recorded as invalid.
func (p *chunkParser) readTokenCount(name []byte) (n int64, ok bool) {
	if p.skipNull() {
		return 0, false
	}
	start := p.at
	p.skipValue()
	if p.bad {
		return 0, false
	}
	text := p.data[start:p.at]
	v, err := strconv.ParseFloat(string(text), 64)
	if err == nil && v >= 0 && v < maxTokens && v == math.Trunc(v) {
		return int64(v), true
	}
	if p.chunk.usage.invalid == "" {
		p.chunk.usage.invalid = fmt.Sprintf("%s are %.100s", name, text)
	}
	return 0, false
}

// setTokenCount reads a token count other than the main ones.
func (p *chunkParser) setTokenCount(to *int64, is usageFields) {
	if n, ok := p.readInteger(); ok && n >= 0 && n < maxTokens {
		*to = n
		p.chunk.usage.reported |= is
	}
}

// readTimings reads the timings object of llama.cpp.
func (p *chunkParser) readTimings() {
	p.eachField(func(key []byte) {
		if string(key) == "cache_n" {
			p.setTokenCount(&p.chunk.usage.cached, reportsCached)
			return
		}
		p.skipValue()
	})
}

// readError reads an error: an object with a message, a string, or null.
func (p *chunkParser) readError() {
	if p.skipNull() {
		return
	}
	p.chunk.hasFault = true
	start := p.at
	switch p.peekByte() {
	case '"':
		p.chunk.fault = string(p.readString())
	default:
		p.eachField(func(key []byte) {
			if string(key) == "message" {
				p.chunk.fault = p.readText()
				return
			}
			p.skipValue()
		})
	}
	if p.chunk.fault == "" && !p.bad {
		p.chunk.fault = strings.TrimSpace(string(p.data[start:p.at]))
	}
}
