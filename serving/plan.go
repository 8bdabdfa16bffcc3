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

// What is asked where a plan does not say: so many users, lengths of prompts and answers in tokens, and the time for
// answers that are under way at a point's end.
const (
	DefaultUsers = "16"
	DefaultISL   = "512"
	DefaultOSL   = "128"
	DefaultGrace = 30 * time.Second
)

// The types of a plan's fields.
type (
	// ReceivedAnswer is what a request received.
	ReceivedAnswer = client.ReceivedAnswer
	// SearchOptions say how Find searches.
	SearchOptions = sweep.SearchOptions
	// MaxErrors ends a load early.
	MaxErrors = engine.MaxErrors
	// SweepPoint is a load that was measured.
	SweepPoint = sweep.SweepPoint
)

// Plan determines what is measured, and how. Its fields are the flags of harness bench, with the same defaults: the
// zero value has 16 users ask for 128 tokens after 512 for a minute.
type Plan struct {
	Connection ServerConnection

	// Prompts are what is asked. Without File and ISL, prompts are of DefaultISL and answers of DefaultOSL. Parquet files
	// and Tokenizer are read by this package.
	Prompts prompts.PromptOptions
	// Tokenizer is the file, or the folder, of the model's tokenizer; empty: there is none. With one, prompts have exact
	// lengths, and the tokens of answers are counted that the server does not count.
	Tokenizer string
	// Whole asks for each answer in one piece, and not as a stream.
	Whole bool

	// Loads are measured in turn, lowest first; none: DefaultUsers. Auto chooses them instead, and Find searches for the
	// highest load that keeps all Objectives: both take the rest of a load from Base.
	Loads []arrival.Pattern
	Auto  bool
	Find  *SearchOptions
	Base  arrival.Pattern

	// Objectives are what requests and points are held to: objective.Parse.
	Objectives objective.Objectives
	// WarmUp is the number of requests sent before each load, which no figure counts; 0: the number of users, at least
	// 8; below 0: none.
	WarmUp int
	// Grace is how long answers may take that are under way at a load's end; 0: DefaultGrace, where a time ended it, and
	// as long as they take after a number of requests; below 0: no time.
	Grace time.Duration
	// MaxErrors ends a load after so many failures; nil: 10 % of 20 or more.
	MaxErrors *MaxErrors
	// Retry is the number of times that a request is repeated after 429 and 503.
	Retry int
	// WholeWindow takes figures of all requests of a closed loop, and not of its steady part alone.
	WholeWindow bool
	// LoadGen has LoadGen send each load, which must be one of its scenarios, and judge it.
	LoadGen bool
	// GPUs is how many accelerators the server has, for figures for each of them; 0: unknown.
	GPUs int
	// HourPrice is the price of an hour of the server, in any currency, for the cost of tokens; 0: unknown.
	HourPrice float64

	// Received, if not nil, gets what each request had for an answer, as client.Client's does.
	Received func(r *metrics.Request, a ReceivedAnswer)
	// Measured, if not nil, is called with each load that was measured, with all of its requests.
	Measured func(p *SweepPoint)
}

// ServerConnection determines how to connect to a server.
type ServerConnection struct {
	// Model is the model's name at the server; empty: the only one it has.
	Model string
	// Options are key_env, ca, connect_timeout and so on: those of the backend openai for measurements.
	Options map[string]string
	// Lookup finds an environment variable, as os.LookupEnv does: option key_env names the one with the API key. Nil:
	// there is no key.
	Lookup func(name string) (value string, ok bool)
	// MaxWait is the time limit for servers to become ready. Until then Connect repeats its request. 0: a single
	// request.
	MaxWait time.Duration
	// Waiting, if not nil, is called once with the reason if a server is not ready.
	Waiting func(text string)
}

// The pauses between two questions to a server that is not ready: the first one, and the longest.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = time.Second
)

// Connect asks the servers at a URL, or at several with commas between, what they are. It waits up to MaxWait until
// they are ready. Errors are of sdk.ErrUsage, where an option is wrong, and of sdk.ErrData, where there is no server or
// no such model; the end of ctx is returned as it is. The caller closes the client.
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

// connectOnce asks the servers once.
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

// setDefaults puts defaults where the plan says nothing.
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

// graceTime is how long answers may take that are under way at the end.
func (p *Plan) graceTime() time.Duration {
	if p.Grace == 0 {
		return DefaultGrace
	}
	return max(p.Grace, 0)
}

// warmUp is sweep.Settings.WarmUp.
func (p *Plan) warmUp() int {
	switch {
	case p.WarmUp == 0:
		return -1
	case p.WarmUp < 0:
		return 0
	}
	return p.WarmUp
}

// MaxFirstTime is how long the first request may take: as long as a load that a duration ends.
func (p *Plan) MaxFirstTime() time.Duration {
	lasts := p.Base.Duration
	for _, l := range p.Loads {
		lasts = max(lasts, l.Duration, l.StagesLast())
	}
	return cmp.Or(lasts, arrival.DefaultDuration) + p.graceTime()
}

// SharesPrefixes says that prompts may have beginnings in common: those of a file, and prefixes that were asked for.
func (p *Plan) SharesPrefixes() bool { return p.Prompts.File != "" || p.Prompts.Prefix != "" }
