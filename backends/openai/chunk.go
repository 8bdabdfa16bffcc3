package openai

import (
	"bytes"
	"strconv"
	"strings"
)

// chunk is what one event of a stream says. Its memory is reused.
type chunk struct {
	text     []byte  // generated text of the first choice
	ids      []int32 // and ids, where the server reports them
	logged   int     // tokens with log probabilities
	thinks   bool    // text that is not part of the answer: reasoning
	finish   string  // why the answer ended; "": it goes on
	usage    usage
	fault    string // what the server says went wrong; "": nothing
	hasFault bool
}

// usage is the server's count of tokens.
type usage struct {
	known      bool
	completion int64 // generated tokens
	cached     int64 // tokens of the prompt that were in a cache
}

// isToken tells whether something was generated.
func (c *chunk) isToken() bool { return len(c.text) > 0 || len(c.ids) > 0 || c.logged > 0 || c.thinks }

// parser reads chunks. It is for one stream at a time.
type parser struct {
	scanner
	chunk chunk
	index int64 // of the choice that is being read
}

// parse reads the data of an event. The chunk is valid until the next call. ok is false if it is not a JSON object.
func (p *parser) parse(data []byte) (c *chunk, ok bool) {
	p.reset(data)
	p.chunk = chunk{text: p.chunk.text[:0], ids: p.chunk.ids[:0]}
	if p.peek() != '{' {
		return &p.chunk, false
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
		case "delta": // of a transcript
			p.addText()
		case "type":
			if p.isText("transcript.text.done") {
				p.chunk.finish = "stop"
			}
		case "error":
			p.fault()
		case "object":
			isError = p.isText("error")
		case "message":
			message = p.textOr()
		default:
			p.skip()
		}
	})
	p.end()
	if isError && !p.chunk.hasFault {
		p.chunk.fault, p.chunk.hasFault = message, true
	}
	return &p.chunk, !p.bad
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
			p.addText()
		case "delta", "message":
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

func (p *parser) addText() {
	if p.peek() != '"' {
		p.skip()
		return
	}
	p.chunk.text = append(p.chunk.text, p.text()...)
}

func (p *parser) delta() {
	p.object(func(key []byte) {
		switch string(key) {
		case "content":
			p.addText()
		case "reasoning_content", "reasoning":
			p.chunk.thinks = p.textOr() != "" || p.chunk.thinks
		default:
			p.skip()
		}
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
	p.object(func(key []byte) {
		switch string(key) {
		case "completion_tokens", "output_tokens":
			p.chunk.usage.completion, p.chunk.usage.known = p.integer()
		case "prompt_tokens_details":
			p.object(func(key []byte) {
				if string(key) == "cached_tokens" {
					p.chunk.usage.cached, _ = p.integer()
					return
				}
				p.skip()
			})
		default:
			p.skip()
		}
	})
}

// timings is llama.cpp's record.
func (p *parser) timings() {
	p.object(func(key []byte) {
		if string(key) == "cache_n" {
			p.chunk.usage.cached, _ = p.integer()
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
