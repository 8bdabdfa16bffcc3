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

// answerChunk is what one event of a stream says, or an answer in one piece. Its memory is reused.
type answerChunk struct {
	text     []byte         // generated text of the first choice
	thought  []byte         // generated text that is not part of the answer: reasoning
	called   []byte         // names and arguments of tool calls, or parts of them
	ids      []int32        // the ids of all that, where the server reports them
	logged   int            // tokens with log probabilities
	parts    []toolCallPart // of tool calls of a chat; their texts lie in called
	calls    bool           // it has a part of a tool call
	finish   string         // why the answer ended; "": it goes on
	usage    usageCounts
	results  int    // embeddings, or documents that are ranked
	fault    string // what the server says went wrong; "": nothing
	hasFault bool
}

// usageCounts is the server's count of tokens.
type usageCounts struct {
	known      bool  // completion is
	completion int64 // generated tokens
	cached     int64 // tokens of the prompt that were in a cache
	prompt     int64
	reasoning  int64       // generated tokens that are not part of the answer
	tells      usageFields // what else it knows
	wrong      string      // the first count that is none, with its name; "": all are
}

// usageFields says which numbers a server reports.
type usageFields uint8

const (
	tellsPrompt usageFields = 1 << iota
	tellsReasoning
	tellsCached
)

// addLater adds a later record of the same answer.
func (u *usageCounts) addLater(later usageCounts) {
	if later.known {
		u.known, u.completion = true, later.completion
	}
	if later.tells&tellsPrompt != 0 {
		u.prompt = later.prompt
	}
	if later.tells&tellsReasoning != 0 {
		u.reasoning = later.reasoning
	}
	u.cached = max(u.cached, later.cached)
	u.tells |= later.tells
	u.wrong = cmp.Or(u.wrong, later.wrong)
}

// answerState is what an answer has said of itself so far.
type answerState struct {
	usage  usageCounts
	finish string // why it ended; "": it goes on
}

// addState adds what a chunk says.
func (s *answerState) addState(c *answerChunk) {
	s.usage.addLater(c.usage)
	if c.finish != "" {
		s.finish = c.finish
	}
}

// endsBy tells whether an answer is complete whose stream ended so before its last event: some servers leave that out,
// but say why the answer ended.
func (s *answerState) endsBy(ended error) bool { return errors.Is(ended, io.EOF) && s.finish != "" }

// isToken tells whether something was generated.
func (c *answerChunk) isToken() bool {
	return len(c.text) > 0 || len(c.ids) > 0 || c.logged > 0 || c.calls || len(c.thought) > 0
}

// chunkParser reads chunks. It is for one stream at a time.
type chunkParser struct {
	jsonScanner
	chunk answerChunk
	index int64  // of the choice that is being read
	whole bool   // that choice is a whole message
	says  typeOf // of the event that is being read
}

// parseEvent reads the data of an event. The chunk is valid until the next call. ok is false if it is not a JSON
// object.
func (p *chunkParser) parseEvent(data []byte) (c *answerChunk, ok bool) {
	p.reset(data)
	c = &p.chunk
	*c = answerChunk{text: c.text[:0], thought: c.thought[:0], called: c.called[:0], ids: c.ids[:0], parts: c.parts[:0]}
	p.says = untyped
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
		case "delta": // of a transcript, or of a response
			c.text = p.appendText(c.text)
		case "type":
			p.eventType()
		case "error":
			p.readError()
		case "object":
			isError = p.isText("error")
		case "message":
			message = p.textOr()
		default:
			p.readOther(key)
		}
	})
	p.requireEnd()
	p.assignDelta()
	if (isError || p.says == errorEvent) && !c.hasFault {
		c.fault, c.hasFault = message, true
	}
	return c, !p.bad
}

// readOther reads what streams of completions and chats do not have: parts of responses, and lists of results.
func (p *chunkParser) readOther(key []byte) {
	switch string(key) {
	case "item":
		p.readToolName(&p.chunk.called)
	case "response":
		p.readResponse()
	case "output": // of a response in one piece
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

// textOr reads a string, or skips another value.
func (p *chunkParser) textOr() string {
	if p.peekByte() != '"' {
		p.skipValue()
		return ""
	}
	return string(p.readString())
}

// isText tells whether a value is a certain string.
func (p *chunkParser) isText(want string) bool {
	if p.peekByte() != '"' {
		p.skipValue()
		return false
	}
	return string(p.readString()) == want
}

// readChoice reads one choice. Choices other than the first are dropped; index comes before the rest, or is 0.
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
			p.chunk.finish = p.textOr()
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

// readDelta reads a part of a chat's answer, or all of it.
func (p *chunkParser) readDelta() {
	c := &p.chunk
	p.eachField(func(key []byte) {
		switch string(key) {
		case "content", "refusal":
			p.readContent()
		case "reasoning_content", "reasoning":
			if len(c.thought) > 0 { // some servers say it by both names
				p.skipValue()
				return
			}
			c.thought = p.appendText(c.thought)
		case "tool_calls":
			p.eachElement(p.toolCall)
		case "function_call":
			p.readFunction(&toolCallPart{})
		default:
			p.skipValue()
		}
	})
}

// readContent reads the text of a message: a string, or a list of parts, of which some are reasoning.
func (p *chunkParser) readContent() {
	if p.peekByte() == '[' {
		p.readParts(&p.chunk.text)
		return
	}
	p.chunk.text = p.appendText(p.chunk.text)
}

// readParts reads a list of parts: strings, and objects with a text, or with reasoning as parts of its own.
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
				p.readParts(&p.chunk.thought)
			case string(key) == "thinking":
				p.chunk.thought = p.appendText(p.chunk.thought)
			default:
				p.skipValue()
			}
		})
	})
}

// readLogprobs reads the tokens that have log probabilities: a list of strings in completions, of objects in chats.
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

// loggedObject reads a token of a chat, or of llama.cpp, which adds the token's id.
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

// idPrefix is how vLLM writes a token's id instead of its text.
const idPrefix = "token_id:"

func (p *chunkParser) readLoggedToken() {
	p.chunk.logged++
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
				u.prompt, u.tells = n, u.tells|tellsPrompt
			}
		case "prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details":
			p.eachField(p.readUsageDetail)
		default:
			p.readUsageDetail(key)
		}
	})
}

// readUsageDetail reads what is beside the two main numbers: in a record of their own as a rule, beside them at SGLang.
func (p *chunkParser) readUsageDetail(key []byte) {
	u := &p.chunk.usage
	switch string(key) {
	case "cached_tokens":
		p.setTokenCount(&u.cached, tellsCached)
	case "reasoning_tokens":
		p.setTokenCount(&u.reasoning, tellsReasoning)
	default:
		p.skipValue()
	}
}

// maxTokens bounds the tokens of one prompt or answer: no context is as long.
const maxTokens = 1 << 31

// readTokenCount reads a number of tokens by its name, a whole number however it is written: 16, 16.0. Null tells
// nothing; anything else is no count, which is kept.
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
	if p.chunk.usage.wrong == "" {
		p.chunk.usage.wrong = fmt.Sprintf("%s are %.100s", name, text)
	}
	return 0, false
}

// setTokenCount reads a number of tokens that is beside the main ones.
func (p *chunkParser) setTokenCount(to *int64, is usageFields) {
	if n, ok := p.readInteger(); ok && n >= 0 && n < maxTokens {
		*to = n
		p.chunk.usage.tells |= is
	}
}

// readTimings reads llama.cpp's record.
func (p *chunkParser) readTimings() {
	p.eachField(func(key []byte) {
		if string(key) == "cache_n" {
			p.setTokenCount(&p.chunk.usage.cached, tellsCached)
			return
		}
		p.skipValue()
	})
}

// readError reads an error, which is an object with a message, a string, or null.
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
				p.chunk.fault = p.textOr()
				return
			}
			p.skipValue()
		})
	}
	if p.chunk.fault == "" && !p.bad {
		p.chunk.fault = strings.TrimSpace(string(p.data[start:p.at]))
	}
}
