// Package servingtest reads the golden cases of packages below serving. A case is a list of recorded requests with
// their figures, or a data file with the requests made from it.
//
// In scope: reading a case, comparing requests with it. Out of scope: making and writing requests, and figures (the
// tests).
package servingtest

import (
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Case is a golden case: recorded events of requests, and the expected figures.
type Case struct {
	Name  string `json:"case"`
	Rules struct {
		Stream    *bool
		Kind      string
		Tokenizer bool
		Window    []int64
		GPUs      int
		LoadGen   string
	}
	SLO      metrics.RequestLimits
	Requests []Request
	Expect   map[string]any
}

// Request is a request of a case.
type Request struct {
	Due         *int64
	Sent, End   int64
	Status      metrics.Status
	WarmUp      bool
	Retokenized *int64
	User, Turn  int
	Session     *int
	Usage       *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Reasoning  int64 `json:"reasoning_tokens"`
		Cached     int64 `json:"cached_tokens"`
	}
	Events []struct {
		T     int64
		Kind  string
		Chars *int
		IDs   int
	}
}

// ReadCase reads a case, or fails the test.
func ReadCase(t testing.TB, path string) Case {
	t.Helper()
	var c Case
	golden.ReadJSON(t, path, &c)
	return c
}

// FigureRules returns the case's rules for computing figures.
func (c Case) FigureRules() metrics.FigureRules {
	r := metrics.FigureRules{NoTokens: c.Rules.Kind != "" && c.Rules.Kind != "generate", Tokenizer: c.Rules.Tokenizer,
		GPUs: c.Rules.GPUs, LoadGen: c.Rules.LoadGen, Limits: c.SLO}
	if len(c.Rules.Window) == 2 {
		r.Window = &metrics.Window{From: c.Rules.Window[0], To: c.Rules.Window[1]}
	}
	return r
}

var kinds = map[string]metrics.EventKind{"role": metrics.Role, "content": metrics.Content,
	"reasoning": metrics.Reasoning,
	"tool":      metrics.Tool, "comment": metrics.Comment}

// Records returns the requests as recorded by a client.
func (c Case) Records() []metrics.Request {
	var all []metrics.Request
	for i, q := range c.Requests {
		r := metrics.Request{Index: i, Row: i, User: q.User, Turn: q.Turn,
			Due: q.Sent, Sent: q.Sent, End: q.End, Status: q.Status, WarmUp: q.WarmUp,
			Usage: metrics.NoUsage(), Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: metrics.Unknown,
			Whole: c.Rules.Stream != nil && !*c.Rules.Stream}
		if q.Due != nil {
			r.Due = *q.Due
		}
		if q.Session != nil {
			r.Session = strconv.Itoa(*q.Session)
		}
		if q.Retokenized != nil {
			r.Retokenized = *q.Retokenized
		}
		if u := q.Usage; u != nil {
			r.Usage = metrics.Usage{Prompt: u.Prompt, Completion: u.Completion, Reasoning: u.Reasoning, Cached: u.Cached}
		}
		for _, e := range q.Events {
			r.Events.Add(metrics.StreamEvent{At: e.T, Kind: kinds[e.Kind], Text: e.Chars == nil || *e.Chars > 0, IDs: e.IDs})
		}
		all = append(all, r)
	}
	return all
}
