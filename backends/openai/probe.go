package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// ProbeResult describes a server by its answers to requests.
type ProbeResult struct {
	ServerInfo
	APIs []APIPart // endpoints that answered
	// Asked is the endpoint of the streamed request; empty: the server does not generate text.
	Asked   APIPart
	Streams bool // the answer arrived in parts
	// Counts is the source of the token count of an answer: ids or usage; empty: none.
	Counts string
	// Agree is false if the ids and the usage record yield different numbers.
	Agree bool
	// TellsCached and TellsReasoning report whether the usage record contains cached tokens of the prompt and generated
	// tokens that are not part of the answer.
	TellsCached, TellsReasoning bool
	Thinks                      bool // the answer began with reasoning
	// TTFT is the time from sending to the first token, TPOT the time per further token; 0: unknown.
	TTFT, TPOT time.Duration
	// PromptTokens and Tokens are the server's token counts of the streamed request; -1: unknown.
	PromptTokens, Tokens int
	Text                 string   // text of the answer
	Faults               []string // answers of endpoints that should have returned status 200
}

// The request of a probe. The tokens are enough to measure the time between two.
const (
	probeQuestion = "Count from one to twenty, in words."
	probeTokens   = 32
	minTokens     = 16 // minimum in OpenAI's Responses API
)

// ProbeServer sends a request to each endpoint of the first server, and then one streamed request. The error explains
// why no endpoint answers.
func (c *Client) ProbeServer(ctx context.Context) (ProbeResult, error) {
	p := ProbeResult{ServerInfo: c.ServerInfo(), Agree: true, PromptTokens: -1, Tokens: -1}
	var faults []error
	for _, of := range endpointPaths {
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

// isAbsent reports whether a failure means that a server does not have the endpoint, or not for its model.
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

// probeAPI sends a short question to an endpoint.
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
	if errors.Is(err, ErrCount) { // the endpoint answers with a wrong count, which the stream will reveal
		return nil
	}
	return err
}

// probeStream sends a streamed request and evaluates the events.
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

// answerProbe stores the properties of an answer that a probe reports.
type answerProbe struct {
	start         time.Time
	first, last   int64 // times of token events
	parts, tokens int
	thinks        bool
	text          []byte
}

// Now returns the time since the probe began, in nanoseconds.
func (o *answerProbe) Now() int64 { return int64(time.Since(o.start)) }

// Event stores the properties of an event.
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
