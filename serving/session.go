package serving

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// Session runs a plan with a connected server. It splits Measure into steps, for callers that add to the records.
type Session struct {
	Plan  Plan
	About openai.ServerInfo  // the server's description
	Set   *prompts.PromptSet // the requests
	Notes []string           // remarks that readers of the figures need
	// Settings contains the settings of all loads. AskFirst sets them.
	Settings sweep.PointSettings

	wire  *openai.Client
	asker *client.Client
}

// OpenSession makes the requests of a plan for the server to which a client is connected. It sends no request. Errors
// have the class sdk.ErrUsage or sdk.ErrData.
func OpenSession(wire *openai.Client, plan Plan) (*Session, error) {
	if err := plan.setDefaults(); err != nil {
		return nil, sdk.Usage(err)
	}
	s := &Session{Plan: plan, wire: wire, About: wire.ServerInfo(),
		asker: &client.Client{Wire: wire, Unstreamed: plan.Whole}}
	o := s.promptOptions()
	o.Table = client.OpenParquet
	if plan.Tokenizer != "" {
		t, err := client.OpenTokenizer(plan.Tokenizer)
		if err != nil {
			return nil, classifyPrompts(err)
		}
		o.Tokenizer = t
		s.asker.Received = func(r *metrics.Request, a client.ReceivedAnswer) {
			r.Retokenized = int64(len(t.EncodePlain(nil, string(a.Reasoning))) + len(t.EncodePlain(nil, string(a.Text))))
		}
	}
	if plan.Received != nil {
		count := s.asker.Received
		s.asker.Received = func(r *metrics.Request, a client.ReceivedAnswer) {
			if count != nil {
				count(r, a)
			}
			plan.Received(r, a)
		}
	}
	set, err := prompts.ReadSet(o)
	if err != nil {
		return nil, classifyPrompts(err)
	}
	s.Set, s.Notes = set, set.Notes
	if err := s.checkContextLength(); err != nil {
		return nil, err
	}
	return s, nil
}

// minIDs is the minimum size of a server's vocabulary to use.
const minIDs = 1000

// promptOptions returns the options of prompts for the server. They include the endpoint in its URL and the size of its
// model's vocabulary, which yields prompts of exact length.
func (s *Session) promptOptions() prompts.PromptOptions {
	o, api, vocabulary := s.Plan.Prompts, prompts.API(s.About.API), s.About.Vocabulary
	if (o.API == "" || o.API == "auto") && api != "" {
		o.API = api
	}
	if o.Vocabulary == "" && s.Plan.Tokenizer == "" && vocabulary > minIDs &&
		(o.API == "" || o.API == "auto" || o.API == prompts.Completions) {
		// the ids of special tokens are the first or the last ones
		o.Vocabulary = fmt.Sprintf("%d..%d", vocabulary/10, vocabulary-vocabulary/10-1)
	}
	return o
}

// classifyPrompts adds a class to a fault of prompts.
func classifyPrompts(err error) error {
	if errors.Is(err, prompts.ErrOptions) {
		return sdk.Usage(err)
	}
	return sdk.Data(err)
}

// checkedRequests is the number of requests that are checked before the first is sent.
const checkedRequests = 256

// checkContextLength checks that lengths of prompts and answers do not exceed the server's context length.
func (s *Session) checkContextLength() error {
	if s.About.MaxLength == 0 {
		return nil
	}
	drawn := s.Set.Draw(prompts.DrawOptions{N: checkedRequests, Seed: s.Plan.Prompts.Seed})
	for i := range min(drawn.Len(), checkedRequests) {
		if a := drawn.At(i); a.InputTokens+a.MaxTokens > s.About.MaxLength && a.InputTokens > 0 {
			return sdk.Usage(fmt.Errorf("%d tokens of a prompt and %d of its answer are more than the %d that %s has room for: "+
				"lower --isl or --osl", a.InputTokens, a.MaxTokens, s.About.MaxLength, s.About.Model))
		}
	}
	return nil
}

// BaseRecord returns the facts about the server and the requests that the records of all loads contain.
func (s *Session) BaseRecord() record.Run {
	asked := s.Plan.Prompts
	server := record.ServingServer{
		URLs: s.About.URLs, Kind: s.About.Kind, Version: s.About.Version, Model: s.About.Model, MaxLength: s.About.MaxLength,
	}
	r := record.Run{Model: s.About.Model, Serving: &record.Serving{Server: server, Asked: record.ServingAsked{
		API: string(s.Set.API), Data: asked.File, ISL: asked.ISL, OSL: asked.OSL, Prefix: asked.Prefix, Whole: s.Plan.Whole,
		Seed: asked.Seed,
	}}}
	for _, note := range s.Notes {
		r.Notes = append(r.Notes, record.Finding{About: "data", Text: note})
	}
	return r
}

// NewSweep returns a sweep over the loads of the plan. file contains the known facts and results.
func (s *Session) NewSweep(file *sweepfile.Sweep) *sweep.Sweep {
	p := &s.Plan
	return &sweep.Sweep{PointSettings: s.Settings, Loads: p.Loads, Auto: p.Auto, Find: p.Find, Base: p.Base, File: file}
}
