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

// Session runs a plan at a connected server. It splits Measure into steps, for a caller that adds to the records.
type Session struct {
	Plan  Plan
	About openai.ServerInfo  // what the server is
	Set   *prompts.PromptSet // what is asked
	Notes []string           // what readers of the figures should know
	// Settings are those of all loads, from First on.
	Settings sweep.PointSettings

	wire  *openai.Client
	asker *client.Client
}

// OpenSession makes the requests of a plan for the server that a client is connected to, and asks nothing. Errors are
// of sdk.ErrUsage or sdk.ErrData.
func OpenSession(wire *openai.Client, plan Plan) (*Session, error) {
	if err := plan.setDefaults(); err != nil {
		return nil, sdk.Usage(err)
	}
	s := &Session{Plan: plan, wire: wire, About: wire.ServerInfo(), asker: &client.Client{Wire: wire, Whole: plan.Whole}}
	o := s.promptOptions()
	o.Table = client.OpenParquet
	if plan.Tokenizer != "" {
		t, err := client.OpenTokenizer(plan.Tokenizer)
		if err != nil {
			return nil, ofPrompts(err)
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
		return nil, ofPrompts(err)
	}
	s.Set, s.Notes = set, set.Notes
	if err := s.checkContextLength(); err != nil {
		return nil, err
	}
	return s, nil
}

// minIDs is the size from which on a vocabulary that a server tells is used.
const minIDs = 1000

// promptOptions are the options of prompts at the server: the part of the API that its address names, and as many token
// ids as its model has, which make prompts of exact length.
func (s *Session) promptOptions() prompts.PromptOptions {
	o, api, vocabulary := s.Plan.Prompts, prompts.API(s.About.API), s.About.Vocabulary
	if (o.API == "" || o.API == "auto") && api != "" {
		o.API = api
	}
	if o.Vocabulary == "" && s.Plan.Tokenizer == "" && vocabulary > minIDs &&
		(o.API == "" || o.API == "auto" || o.API == prompts.Completions) {
		// the ids of special tokens are the first ones, or the last
		o.Vocabulary = fmt.Sprintf("%d..%d", vocabulary/10, vocabulary-vocabulary/10-1)
	}
	return o
}

// ofPrompts is the class of a fault of prompts.
func ofPrompts(err error) error {
	if errors.Is(err, prompts.ErrOptions) {
		return sdk.Usage(err)
	}
	return sdk.Data(err)
}

// tried is how many requests are looked at before the first is sent.
const tried = 256

// checkContextLength compares lengths of prompts and answers with what the server says that it can.
func (s *Session) checkContextLength() error {
	if s.About.MaxLength == 0 {
		return nil
	}
	drawn := s.Set.Draw(prompts.DrawOptions{N: tried, Seed: s.Plan.Prompts.Seed})
	for i := range min(drawn.Len(), tried) {
		if a := drawn.At(i); a.InputTokens+a.MaxTokens > s.About.MaxLength && a.InputTokens > 0 {
			return sdk.Usage(fmt.Errorf("%d tokens of a prompt and %d of its answer are more than the %d that %s has room for: "+
				"lower --isl or --osl", a.InputTokens, a.MaxTokens, s.About.MaxLength, s.About.Model))
		}
	}
	return nil
}

// BaseRecord is what the records of all loads have of the server and of what it is asked.
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

// NewSweep are the loads of the plan, none of which is measured yet. File is what is known of them.
func (s *Session) NewSweep(file *sweepfile.Sweep) *sweep.Sweep {
	p := &s.Plan
	return &sweep.Sweep{PointSettings: s.Settings, Loads: p.Loads, Auto: p.Auto, Find: p.Find, Base: p.Base, File: file}
}
