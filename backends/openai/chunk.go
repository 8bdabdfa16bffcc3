package openai

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// chunk is what one event of a stream says, or an answer in one piece. Its memory is reused.
type chunk struct {
	text     []byte  // generated text of the first choice
	thought  []byte  // generated text that is not part of the answer: reasoning
	called   []byte  // names and arguments of tool calls, or parts of them
	ids      []int32 // the ids of all that, where the server reports them
	logged   int     // tokens with log probabilities
	parts    []part  // of tool calls of a chat; their texts lie in called
	calls    bool    // it has a part of a tool call
	finish   string  // why the answer ended; "": it goes on
	usage    usage
	results  int    // embeddings, or documents that are ranked
	fault    string // what the server says went wrong; "": nothing
	hasFault bool
}

// usage is the server's count of tokens.
type usage struct {
	known      bool  // completion is
	completion int64 // generated tokens
	cached     int64 // tokens of the prompt that were in a cache
	prompt     int64
	reasoning  int64  // generated tokens that are not part of the answer
	tells      tells  // what else it knows
	wrong      string // the first count that is none, with its name; "": all are
}

// tells says which numbers a server reports.
type tells uint8

const (
	tellsPrompt tells = 1 << iota
	tellsReasoning
	tellsCached
)

// add takes a later record of the same answer.
func (u *usage) add(later usage) {
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

// isToken tells whether something was generated.
func (c *chunk) isToken() bool {
	return len(c.text) > 0 || len(c.ids) > 0 || c.logged > 0 || c.calls || len(c.thought) > 0
}

// parser reads chunks. It is for one stream at a time.
type parser struct {
	scanner
	chunk chunk
	index int64  // of the choice that is being read
	whole bool   // that choice is a whole message
	says  typeOf // of the event that is being read
}

// parse reads the data of an event. The chunk is valid until the next call. ok is false if it is not a JSON object.
func (p *parser) parse(data []byte) (c *chunk, ok bool) {
	p.reset(data)
	c = &p.chunk
	*c = chunk{text: c.text[:0], thought: c.thought[:0], called: c.called[:0], ids: c.ids[:0], parts: c.parts[:0]}
	p.says = untyped
	if p.peek() != '{' {
		return c, false
	}
	var message string
	isError := false
	p.object(func(key []byte) {
		switch string(key) {
		case "choices":
			p.array(p.choice)
		case "usage":
			p.usage()
		case "timings":
			p.timings()
		case "delta": // of a transcript, or of a response
			c.text = p.appendText(c.text)
		case "type":
			p.eventType()
		case "error":
			p.fault()
		case "object":
			isError = p.isText("error")
		case "message":
			message = p.textOr()
		default:
			p.other(key)
		}
	})
	p.end()
	p.sort()
	if (isError || p.says == errorEvent) && !c.hasFault {
		c.fault, c.hasFault = message, true
	}
	return c, !p.bad
}

// other reads what streams of completions and chats do not have: parts of responses, and lists of results.
func (p *parser) other(key []byte) {
	switch string(key) {
	case "item":
		p.item(&p.chunk.called)
	case "response":
		p.response()
	case "output": // of a response in one piece
		p.array(p.output)
	case "data", "results":
		p.array(func() {
			p.chunk.results++
			p.skip()
		})
	default:
		p.skip()
	}
}

// textOr reads a string, or skips another value.
func (p *parser) textOr() string {
	if p.peek() != '"' {
		p.skip()
		return ""
	}
	return string(p.text())
}

// isText tells whether a value is a certain string.
func (p *parser) isText(want string) bool {
	if p.peek() != '"' {
		p.skip()
		return false
	}
	return string(p.text()) == want
}

// choice reads one choice. Choices other than the first are dropped; index comes before the rest, or is 0.
func (p *parser) choice() {
	p.index = 0
	p.object(func(key []byte) {
		if p.index != 0 {
			p.skip()
			return
		}
		switch string(key) {
		case "index":
			p.index, _ = p.integer()
		case "text":
			p.chunk.text = p.appendText(p.chunk.text)
		case "delta", "message":
			p.whole = string(key) == "message"
			p.delta()
		case "token_ids":
			p.array(func() { p.chunk.ids = append(p.chunk.ids, p.id()) })
		case "logprobs":
			p.logprobs()
		case "finish_reason":
			p.chunk.finish = p.textOr()
		default:
			p.skip()
		}
	})
}

// appendText appends a string, or skips another value.
func (p *parser) appendText(to []byte) []byte {
	if p.peek() != '"' {
		p.skip()
		return to
	}
	return append(to, p.text()...)
}

// delta reads a part of a chat's answer, or all of it.
func (p *parser) delta() {
	c := &p.chunk
	p.object(func(key []byte) {
		switch string(key) {
		case "content", "refusal":
			p.content()
		case "reasoning_content", "reasoning":
			if len(c.thought) > 0 { // some servers say it by both names
				p.skip()
				return
			}
			c.thought = p.appendText(c.thought)
		case "tool_calls":
			p.array(p.toolCall)
		case "function_call":
			p.function(&part{})
		default:
			p.skip()
		}
	})
}

// content reads the text of a message: a string, or a list of parts, of which some are reasoning.
func (p *parser) content() {
	if p.peek() == '[' {
		p.parts(&p.chunk.text)
		return
	}
	p.chunk.text = p.appendText(p.chunk.text)
}

// parts reads a list of parts: strings, and objects with a text, or with reasoning as parts of its own.
func (p *parser) parts(to *[]byte) {
	p.array(func() {
		if p.peek() != '{' {
			*to = p.appendText(*to)
			return
		}
		p.object(func(key []byte) {
			switch {
			case string(key) == "text":
				*to = p.appendText(*to)
			case string(key) == "thinking" && p.peek() == '[':
				p.parts(&p.chunk.thought)
			case string(key) == "thinking":
				p.chunk.thought = p.appendText(p.chunk.thought)
			default:
				p.skip()
			}
		})
	})
}

// logprobs reads the tokens that have log probabilities: a list of strings in completions, of objects in chats.
func (p *parser) logprobs() {
	p.object(func(key []byte) {
		switch string(key) {
		case "tokens":
			p.array(p.logged)
		case "content":
			p.array(p.loggedObject)
		default:
			p.skip()
		}
	})
}

// loggedObject reads a token of a chat, or of llama.cpp, which adds the token's id.
func (p *parser) loggedObject() {
	p.object(func(key []byte) {
		switch string(key) {
		case "id":
			p.chunk.ids = append(p.chunk.ids, p.id())
		case "token":
			p.logged()
		default:
			p.skip()
		}
	})
}

// idPrefix is how vLLM writes a token's id instead of its text.
const idPrefix = "token_id:"

func (p *parser) logged() {
	p.chunk.logged++
	if p.peek() != '"' {
		p.skip()
		return
	}
	digits, isID := bytes.CutPrefix(p.text(), []byte(idPrefix))
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

func (p *parser) usage() {
	u := &p.chunk.usage
	p.object(func(key []byte) {
		switch string(key) {
		case "completion_tokens", "output_tokens":
			u.completion, u.known = p.tokens(key)
		case "prompt_tokens", "input_tokens":
			if n, ok := p.tokens(key); ok {
				u.prompt, u.tells = n, u.tells|tellsPrompt
			}
		case "prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details":
			p.object(p.detail)
		default:
			p.detail(key)
		}
	})
}

// detail reads what is beside the two main numbers: in a record of their own as a rule, beside them at SGLang.
func (p *parser) detail(key []byte) {
	u := &p.chunk.usage
	switch string(key) {
	case "cached_tokens":
		p.count(&u.cached, tellsCached)
	case "reasoning_tokens":
		p.count(&u.reasoning, tellsReasoning)
	default:
		p.skip()
	}
}

// mostTokens bounds the tokens of one prompt or answer: no context is as long.
const mostTokens = 1 << 31

// tokens reads a number of tokens by its name, a whole number however it is written: 16, 16.0. Null tells nothing;
// anything else is no count, which is kept.
func (p *parser) tokens(name []byte) (n int64, ok bool) {
	if p.null() {
		return 0, false
	}
	start := p.at
	p.skip()
	if p.bad {
		return 0, false
	}
	text := p.data[start:p.at]
	v, err := strconv.ParseFloat(string(text), 64)
	if err == nil && v >= 0 && v < mostTokens && v == math.Trunc(v) {
		return int64(v), true
	}
	if p.chunk.usage.wrong == "" {
		p.chunk.usage.wrong = fmt.Sprintf("%s are %.100s", name, text)
	}
	return 0, false
}

// count reads a number of tokens that is beside the main ones.
func (p *parser) count(to *int64, is tells) {
	if n, ok := p.integer(); ok && n >= 0 && n < mostTokens {
		*to = n
		p.chunk.usage.tells |= is
	}
}

// timings is llama.cpp's record.
func (p *parser) timings() {
	p.object(func(key []byte) {
		if string(key) == "cache_n" {
			p.count(&p.chunk.usage.cached, tellsCached)
			return
		}
		p.skip()
	})
}

// fault reads an error, which is an object with a message, a string, or null.
func (p *parser) fault() {
	if p.null() {
		return
	}
	p.chunk.hasFault = true
	start := p.at
	switch p.peek() {
	case '"':
		p.chunk.fault = string(p.text())
	default:
		p.object(func(key []byte) {
			if string(key) == "message" {
				p.chunk.fault = p.textOr()
				return
			}
			p.skip()
		})
	}
	if p.chunk.fault == "" && !p.bad {
		p.chunk.fault = strings.TrimSpace(string(p.data[start:p.at]))
	}
}
