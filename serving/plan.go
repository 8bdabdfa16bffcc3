package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/objective"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// The defaults of a plan: the number of users, the lengths of prompts and answers in tokens, and the time limit for
// requests in flight at a point's end.
const (
	DefaultUsers = "16"
	DefaultISL   = "512"
	DefaultOSL   = "128"
	DefaultGrace = 30 * time.Second
)

// The types of a plan's fields.
type (
	// ReceivedAnswer is the answer that a request received.
	ReceivedAnswer = client.ReceivedAnswer
	// SearchOptions contains the options of the search by Find.
	SearchOptions = sweep.SearchOptions
	// MaxErrors is a number of failures that ends a load early.
	MaxErrors = engine.MaxErrors
	// SweepPoint is a measured load.
	SweepPoint = sweep.SweepPoint
)

// Plan determines the measurement. Its fields are the flags of harness bench, with the same defaults: with the zero
// value, 16 users send prompts of 512 tokens and request 128 tokens, for one minute.
type Plan struct {
	Connection ServerConnection

	// Prompts determines the requests. Without File and ISL, prompts have DefaultISL and answers DefaultOSL tokens. This
	// package reads Parquet files and Tokenizer.
	Prompts prompts.PromptOptions
	// Tokenizer is the path of the model's tokenizer, a file or a folder; empty: none. With a tokenizer, prompts have
	// exact lengths, and this package counts the tokens of answers that the server does not count.
	Tokenizer string
	// Whole requests unstreamed answers.
	Whole bool

	// Loads are measured one after another, lowest first; empty: DefaultUsers. Auto chooses loads instead. Find searches
	// for the highest load that meets all Objectives. Auto and Find take the other properties of a load from Base.
	Loads []arrival.Pattern
	Auto  bool
	Find  *SearchOptions
	Base  arrival.Pattern

	// Objectives are the objectives for requests and points: see objective.Parse.
	Objectives objective.Objectives
	// WarmUp is the number of requests sent before each load, which figures exclude; 0: the number of users, or 8 if that
	// is more; below 0: none.
	WarmUp int
	// Grace is the time limit for requests in flight at a load's end. 0 means DefaultGrace if the load's duration has
	// ended, and no limit if its number of requests has been sent. Below 0: no time.
	Grace time.Duration
	// MaxErrors ends a load after a number of failures; nil: 10 % of 20 or more.
	MaxErrors *MaxErrors
	// Retry is the number of times that a request is repeated after HTTP statuses 429 and 503.
	Retry int
	// WholeWindow computes figures from all requests of a closed loop instead of only its steady part.
	WholeWindow bool
	// LoadGen makes LoadGen send and judge each load, which must be one of its scenarios.
	LoadGen bool
	// GPUs is the number of the server's accelerators, for figures per accelerator; 0: unknown.
	GPUs int
	// HourPrice is the price of an hour of the server, in any currency, for the cost of tokens; 0: unknown.
	HourPrice float64

	// Received, if not nil, is called with the answer to each request, like the function of client.Client.
	Received func(r *metrics.Request, a ReceivedAnswer)
	// Measured, if not nil, is called with each measured load, including all of its requests.
	Measured func(p *SweepPoint)
}

// ServerConnection determines how to connect to a server.
type ServerConnection struct {
	// Model is the model's name at the server; empty: the server's only model.
	Model string
	// Options contains key_env, ca, connect_timeout and so on: the options of the backend openai that measurements
	// support.
	Options map[string]string
	// Lookup finds an environment variable, like os.LookupEnv. Option key_env names the variable with the API key. Nil:
	// there is no key.
	Lookup func(name string) (value string, ok bool)
	// MaxWait is the time limit for servers to become ready. Until then Connect repeats its request. 0: a single request.
	MaxWait time.Duration
	// Waiting, if not nil, is called once with the reason if a server is not ready.
	Waiting func(text string)
}

// The first and the longest pause between two requests to a server that is not ready.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = time.Second
)

// Connect asks the servers at a URL, or at several URLs separated by commas, for their description. It waits up to
// MaxWait until they are ready. Errors have the class sdk.ErrUsage for a wrong option and sdk.ErrData for a missing
// server or model. The end of ctx is returned unchanged. The caller must close the client.
func (c ServerConnection) Connect(ctx context.Context, url string) (*openai.Client, error) {
	began, said := time.Now(), false
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		client, err := c.connectOnce(ctx, url)
		switch left := c.MaxWait - time.Since(began); {
		case err == nil, ctx.Err() != nil, !errors.Is(err, sdk.ErrData), c.MaxWait <= 0:
			return client, err
		case left <= 0:
			return nil, fmt.Errorf("%s is not ready after %s: %w", url, figure.Seconds(c.MaxWait), err)
		default:
			if !said && c.Waiting != nil {
				c.Waiting(fmt.Sprintf("waiting up to %s for %s: %v", figure.Seconds(c.MaxWait), url, err))
			}
			said = true
			pause = min(pause, left)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// connectOnce sends one request to the servers.
func (c ServerConnection) connectOnce(ctx context.Context, url string) (*openai.Client, error) {
	options := map[string]string{}
	for name, value := range c.Options {
		options[name] = value
	}
	options["url"] = url
	if c.Model != "" {
		options["model"] = c.Model
	}
	client, err := openai.Backend{Lookup: c.Lookup}.Client(ctx, options)
	switch {
	case err == nil:
		return client, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, backend.ErrOption):
		return nil, sdk.Usage(err)
	}
	return nil, sdk.Data(err)
}

// setDefaults sets empty fields of the plan to their defaults.
func (p *Plan) setDefaults() error {
	if p.Prompts.File == "" && p.Prompts.ISL == "" {
		p.Prompts.ISL, p.Prompts.OSL = DefaultISL, cmp.Or(p.Prompts.OSL, DefaultOSL)
	}
	if len(p.Loads) > 0 || p.Auto || p.Find != nil {
		return nil
	}
	loads, err := arrival.LoadFlags{Concurrency: DefaultUsers}.ParsePatterns()
	if err != nil {
		return err
	}
	p.Loads, p.Base = loads, loads[0]
	return nil
}

// graceTime returns the time limit for requests in flight at the end.
func (p *Plan) graceTime() time.Duration {
	if p.Grace == 0 {
		return DefaultGrace
	}
	return max(p.Grace, 0)
}

// warmUpCount returns the value of sweep.Settings.WarmUp.
func (p *Plan) warmUpCount() int {
	switch {
	case p.WarmUp == 0:
		return -1
	case p.WarmUp < 0:
		return 0
	}
	return p.WarmUp
}

// MaxFirstTime returns the time limit of the first request: the same as that of a load with a duration.
func (p *Plan) MaxFirstTime() time.Duration {
	lasts := p.Base.Duration
	for _, l := range p.Loads {
		lasts = max(lasts, l.Duration, l.StagesLast())
	}
	return cmp.Or(lasts, arrival.DefaultDuration) + p.graceTime()
}

// SharesPrefixes reports whether prompts may have common beginnings: prompts of a file, or with requested prefixes.
func (p *Plan) SharesPrefixes() bool { return p.Prompts.File != "" || p.Prompts.Prefix != "" }
