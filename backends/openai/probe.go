package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// ProbeResult is what a server showed when it was asked.
type ProbeResult struct {
	ServerInfo
	APIs []APIPart // those that answered, of all five
	// Asked is the API of the request whose answer was streamed; empty: the server generates no text.
	Asked   APIPart
	Streams bool // its answer came in parts
	// Counts says what the tokens of an answer are counted by: ids, usage, or nothing (empty).
	Counts string
	// Agree is false where ids and the usage record give different numbers.
	Agree bool
	// TellsCached and TellsReasoning say whether the usage record has tokens of the prompt that came from a cache, and
	// generated tokens that are not part of the answer.
	TellsCached, TellsReasoning bool
	Thinks                      bool // the answer began with reasoning
	// TTFT is the time from sending to the first token, TPOT that of each further one; 0: it cannot be told.
	TTFT, TPOT time.Duration
	// PromptTokens and Tokens are what the server counted of the streamed request; -1: it counted nothing.
	PromptTokens, Tokens int
	Text                 string   // of the answer
	Faults               []string // what was answered by APIs that should have answered with 200
}

// What a probe asks: enough tokens for a time between two.
const (
	probeQuestion = "Count from one to twenty, in words."
	probeTokens   = 32
	minTokens     = 16 // that OpenAI lets a response have
)

// ProbeServer asks the first server by every API, then for one answer as a stream. The error says why no API answers.
func (c *Client) ProbeServer(ctx context.Context) (ProbeResult, error) {
	p := ProbeResult{ServerInfo: c.ServerInfo(), Agree: true, PromptTokens: -1, Tokens: -1}
	var faults []error
	for _, of := range apis {
		switch err := c.probeAPI(ctx, of.name); {
		case err == nil:
			p.APIs = append(p.APIs, of.name)
		case context.Cause(ctx) != nil:
			return p, context.Cause(ctx)
		default:
			faults = append(faults, fmt.Errorf("%s: %w", of.name, err))
			if f := new(CallFailure); errors.As(err, &f) && !f.isAbsent() {
				p.Faults = append(p.Faults, fmt.Sprintf("%s: %v", of.name, err))
			}
		}
	}
	if len(p.APIs) == 0 {
		return p, fmt.Errorf("it answers by no API: %w", errors.Join(faults...))
	}
	for _, of := range []APIPart{p.API, Chat, Completions, Responses} {
		if p.answersAPI(of) && of.generatesText() {
			p.Asked = of
			return p, c.probeStream(ctx, &p)
		}
	}
	return p, nil
}

func (p *ProbeResult) answersAPI(of APIPart) bool {
	return slices.Contains(p.APIs, of)
}

// isAbsent tells whether a failure says that a server has no such API, or no such API for its model.
func (f *CallFailure) isAbsent() bool {
	if f.Kind != BadStatus {
		return false
	}
	switch f.Code {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented,
		http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// probeAPI asks a short question by an API.
func (c *Client) probeAPI(ctx context.Context, of APIPart) error {
	call := ClientCall{API: of, Whole: true}
	switch of {
	case Rerank:
		call.Query, call.Documents = "sea", []byte(`["salt","sand"]`)
	case Embeddings:
		call.Text = "sea"
	default:
		call.Text, call.MaxTokens = "sea", 1
		if of == Responses {
			call.MaxTokens = minTokens
		}
	}
	r, err := c.WriteRequest(call)
	if err != nil {
		return err
	}
	_, err = c.Ask(ctx, r, &answerProbe{start: time.Now()})
	if errors.Is(err, ErrCount) { // it answers, and counts otherwise: the stream will show
		return nil
	}
	return err
}

// probeStream asks for an answer as a stream, and looks at what comes.
func (c *Client) probeStream(ctx context.Context, p *ProbeResult) error {
	r, err := c.WriteRequest(ClientCall{API: p.Asked, Text: probeQuestion, MaxTokens: probeTokens, Exact: true})
	if err != nil {
		return err
	}
	o := &answerProbe{start: time.Now()}
	response, err := c.Ask(ctx, r, o)
	switch {
	case errors.Is(err, ErrCount):
		p.Faults = append(p.Faults, fmt.Sprintf("%s: %v", p.Asked, err))
		response.Usage = TokenUsage{-1, -1, -1, -1}
	case err != nil:
		return fmt.Errorf("%s: %w", p.Asked, err)
	}
	if o.parts == 0 {
		return fmt.Errorf("%s: %w: an answer to %q has no token", p.Asked, ErrStream, probeQuestion)
	}
	p.Streams, p.Thinks, p.Text = !response.Whole, o.thinks, string(o.text)
	p.TellsCached, p.TellsReasoning = response.Usage.Cached >= 0, response.Usage.Reasoning >= 0
	p.PromptTokens, p.Tokens = int(response.Usage.Prompt), int(response.Usage.Completion)
	switch {
	case o.tokens > 0:
		p.Agree = p.Tokens < 0 || p.Tokens == o.tokens
		p.Counts, p.Tokens = "ids", o.tokens
	case p.Tokens >= 0:
		p.Counts = "usage"
	}
	if p.Streams {
		p.TTFT = time.Duration(o.first - response.Sent)
		if p.Tokens > 1 && o.parts > 1 {
			p.TPOT = time.Duration(o.last-o.first) / time.Duration(p.Tokens-1)
		}
	}
	return nil
}

// answerProbe is what a probe keeps of an answer.
type answerProbe struct {
	start         time.Time
	first, last   int64 // token events
	parts, tokens int
	thinks        bool
	text          []byte
}

// Now is the time since the probe began, in nanoseconds.
func (o *answerProbe) Now() int64 { return int64(time.Since(o.start)) }

// Event keeps what the answer is judged by.
func (o *answerProbe) Event(e *ObservedEvent) {
	if e.Kind == RoleEvent || e.Kind == CommentEvent {
		return
	}
	if o.parts++; o.parts == 1 {
		o.first, o.thinks = e.At, e.Kind == ReasoningEvent
	}
	o.last = e.At
	o.tokens += e.Tokens
	o.text = append(o.text, e.Text...)
}
