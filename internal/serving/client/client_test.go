package client

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// ticks is a clock that counts its readings.
type ticks struct{ n atomic.Int64 }

func (t *ticks) Now() int64 { return t.n.Add(1) }

func open(t *testing.T, o openaitest.Options) *Client {
	t.Helper()
	s := httptest.NewServer(openaitest.New(o))
	t.Cleanup(s.Close)
	wire, err := openai.Backend{}.Client(context.Background(), map[string]string{"url": s.URL, "connect_timeout": "5m"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := wire.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Client{Wire: wire}
}

func ask(t *testing.T, c *Client, a prompts.Ask) *metrics.Request {
	t.Helper()
	p, err := c.Prepare(&a)
	if err != nil {
		t.Fatal(err)
	}
	r := &metrics.Request{}
	c.Ask(context.Background(), p, &ticks{}, r)
	return r
}

func TestRecords(t *testing.T) {
	c := open(t, openaitest.Options{Owner: "vllm", IDs: true, TokensPerEvent: 2})
	r := ask(t, c, prompts.Ask{API: prompts.Completions, IDs: []int32{1, 2, 3}, MaxTokens: 5, Exact: true})
	if r.Status != metrics.OK || r.Fault != "" || r.Usage.Completion != 5 || r.Whole || r.Sent != 1 {
		t.Fatalf("%+v", r)
	}
	var ids int
	last := r.Sent
	for e := range r.Events.All() {
		if ids += e.IDs; e.Kind != metrics.Content || !e.Text || e.At < last || e.At > r.End {
			t.Errorf("%+v after %d, in %+v", e, last, r)
		}
		last = e.At
	}
	if r.Events.Len() != 3 || ids != 5 {
		t.Errorf("%d events with %d ids, want 3 with 5", r.Events.Len(), ids)
	}
}

func TestKeepsText(t *testing.T) {
	c := open(t, openaitest.Options{})
	var text string
	c.Received = func(_ *metrics.Request, a ReceivedAnswer) { text = string(a.Text) }
	a := prompts.Ask{API: prompts.Completions, Text: "q", MaxTokens: 4}
	ask(t, c, a)
	prompt, err := json.Marshal(a.Text)
	if err != nil {
		t.Fatal(err)
	}
	if _, want := openaitest.Generated(string(prompt), 4); text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

func TestAnswersAreGivenBack(t *testing.T) {
	c := open(t, openaitest.Options{})
	a := prompts.Ask{API: prompts.Completions, Text: "q", MaxTokens: 4}
	p, err := c.Prepare(&a)
	if err != nil {
		t.Fatal(err)
	}
	r := &metrics.Request{}
	text := c.Answer(context.Background(), p, &ticks{}, r)
	if _, want := openaitest.Generated(`"q"`, 4); text != want || r.Status != metrics.OK {
		t.Errorf("%q, want %q; %+v", text, want, r)
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		fault openaitest.Fault
		want  metrics.Status
		says  string
	}{
		{openaitest.Fault{Status: 429}, "http_429", "told to refuse"},
		{openaitest.Fault{Error: "out of memory", After: 1}, metrics.Faulty, "out of memory"},
		{openaitest.Fault{Cut: true, After: 1}, metrics.Cut, "1 events"},
	} {
		client := open(t, openaitest.Options{Fault: func(int64) openaitest.Fault { return c.fault }})
		r := ask(t, client, prompts.Ask{API: prompts.Completions, Text: "q", MaxTokens: 4})
		if r.Status != c.want || !strings.Contains(r.Fault, c.says) || r.End <= r.Sent {
			t.Errorf("%+v, want %s and %q", r, c.want, c.says)
		}
	}
	for kind, want := range map[openai.FailureKind]metrics.Status{
		openai.NotConnected: metrics.Refused, openai.TimedOut: metrics.Timeout, openai.Interrupted: metrics.Cancelled,
	} {
		if got := statusOf(&openai.CallFailure{Kind: kind, Err: net.ErrClosed}); got != want {
			t.Errorf("%d: %s, want %s", kind, got, want)
		}
	}
	if got := statusOf(errors.New("?")); got != metrics.Faulty {
		t.Errorf("%s", got)
	}
}

func TestRefusesOthersRequests(t *testing.T) {
	c := open(t, openaitest.Options{})
	r := &metrics.Request{}
	c.Ask(context.Background(), "what", &ticks{}, r)
	if r.Status == metrics.OK || !strings.Contains(r.Fault, "string") {
		t.Errorf("%+v", r)
	}
}
