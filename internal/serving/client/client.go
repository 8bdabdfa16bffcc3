// Package client sends harness bench's requests to servers of language models. It connects the wire protocol
// (backends/openai) to the measurement (serving).
//
// In scope: converting prompts to calls and responses to records. Out of scope: flags and output (package cli/serving),
// loads and figures (serving).
package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// Client is an engine.Asker for servers with OpenAI's API.
type Client struct {
	Wire *openai.Client
	// Unstreamed requests each answer in one piece, without streaming.
	Unstreamed bool
	// Received, if not nil, receives the answer to each request of an ask before Ask returns. Many goroutines call it.
	Received func(r *metrics.Request, a ReceivedAnswer)
}

// ReceivedAnswer is the received part of the answer to a request. It is valid until the call that passes it returns.
type ReceivedAnswer struct {
	Text      []byte // the answer in order of arrival, with the names and arguments of tool calls
	Content   []byte // the answer without tool calls
	Reasoning []byte
	Calls     []backend.ToolCall // tool calls of a chat; nil: none
}

var _ engine.Answerer = (*Client)(nil)

// Prepare encodes a request in the server's API.
func (c *Client) Prepare(a *prompts.Ask) (engine.Prepared, error) {
	return c.Wire.WriteRequest(openai.ClientCall{
		API: openai.APIPart(a.API), IDs: a.IDs, Text: a.Text, Before: a.Before, Messages: a.Messages, Input: a.Input,
		Query: a.Query, Documents: a.Documents, Tools: a.Tools, Model: a.Model, MaxTokens: a.MaxTokens, Exact: a.Exact,
		Whole: c.Unstreamed, Fields: a.Fields, Header: a.Header, Session: a.Session,
	})
}

// Ask sends a request that Prepare encoded, and records the events of the answer.
func (c *Client) Ask(ctx context.Context, p engine.Prepared, clock engine.Clock, r *metrics.Request) {
	c.sendRequest(ctx, p, r, &eventRecorder{Clock: clock, request: r, keepsAnswer: c.Received != nil})
}

// Answer does what Ask does, and returns the answer's text.
func (c *Client) Answer(
	ctx context.Context, p engine.Prepared, clock engine.Clock, r *metrics.Request,
) (text string) {
	o := &eventRecorder{Clock: clock, request: r, keepsAnswer: true}
	c.sendRequest(ctx, p, r, o)
	return string(o.answer)
}

func (c *Client) sendRequest(ctx context.Context, p engine.Prepared, r *metrics.Request, o *eventRecorder) {
	request, ok := p.(openai.WrittenRequest)
	if !ok {
		r.Sent, r.End = o.Now(), o.Now()
		r.Status, r.Fault = metrics.Refused, fmt.Sprintf("a request of the type %T is not of this client", p)
		return
	}
	told, err := c.Wire.Ask(ctx, request, o)
	r.Sent, r.End, r.Server, r.Read, r.Whole = told.Sent, told.End, told.Server, told.Longest, told.Whole
	r.Usage, r.Finish = metrics.Usage(told.Usage), told.Finish
	r.Status = metrics.OK
	if err != nil {
		r.Status, r.Fault = statusOf(err), err.Error()
	}
	if c.Received != nil {
		c.Received(r, ReceivedAnswer{Text: o.answer, Content: o.content, Reasoning: o.reasoning, Calls: o.calls.List()})
	}
}

// statusOf returns the status of a request that ended with err.
func statusOf(err error) metrics.Status {
	f := new(openai.CallFailure)
	if !errors.As(err, &f) {
		return metrics.Faulty
	}
	switch f.Kind {
	case openai.NotConnected:
		return metrics.Refused
	case openai.BadStatus:
		return metrics.Status(fmt.Sprintf("http_%d", f.Code))
	case openai.BadCount:
		return metrics.Count
	case openai.CutOff:
		return metrics.Cut
	case openai.TimedOut:
		return metrics.Timeout
	case openai.Interrupted:
		return metrics.Cancelled
	}
	return metrics.Faulty
}

// eventRecorder records the events of one request.
type eventRecorder struct {
	engine.Clock
	request           *metrics.Request
	keepsAnswer       bool
	answer, reasoning []byte
	content           []byte // the answer without tool calls
	calls             openai.MergedCalls
}

// recordedKinds maps the wire's kinds of events to the recorded kinds.
var recordedKinds = [...]metrics.EventKind{
	openai.RoleEvent: metrics.Role, openai.ContentEvent: metrics.Content, openai.ReasoningEvent: metrics.Reasoning,
	openai.ToolEvent: metrics.Tool, openai.CommentEvent: metrics.Comment,
}

// Event records an event of the wire.
func (o *eventRecorder) Event(e *openai.ObservedEvent) {
	o.request.Events.Add(metrics.StreamEvent{
		At: e.At, Kind: recordedKinds[e.Kind], Text: len(e.Text)+len(e.Thought)+len(e.Called) > 0, IDs: e.Tokens,
	})
	if o.keepsAnswer {
		o.answer = append(append(o.answer, e.Text...), e.Called...)
		o.content = append(o.content, e.Text...)
		o.reasoning = append(o.reasoning, e.Thought...)
		o.calls.AddEvent(e)
	}
}
