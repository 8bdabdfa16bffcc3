package drive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// Probe searches for C_max, the number of users above which the tokens per second no longer rise.
type Probe struct {
	// Try measures the output tokens per second of a number of users. ErrTooMany ends the search upwards.
	Try func(ctx context.Context, users int) (rate float64, err error)
	// Least is the lowest number that may be found, at least 1, and Most the highest that is tried.
	Least, Most int
	Say         func(line string)
}

// ErrTooMany says that a server fails at a number of users.
var ErrTooMany = errors.New("the server fails at so many users")

const (
	// worth is what twice as many users raise the rate by at least while the search goes on.
	worth = 0.03
	// near is the highest quotient of two numbers of users between which no other is tried.
	near = 1.15
)

// Find doubles the users until that no longer raises the rate, and narrows down between which two of them it stops
// rising. It returns the upper one.
func (p Probe) Find(ctx context.Context) (cMax int, err error) {
	below, best, at := 0, 0.0, 0
	for n := p.Least; ; n = min(2*n, p.Most) {
		rate, err := p.try(ctx, n)
		if errors.Is(err, ErrTooMany) && at > 0 {
			return p.highest(ctx, at, n, best)
		}
		if err != nil {
			return 0, err
		}
		if at > 0 && rate < best*(1+worth) {
			best = max(best, rate)
			break
		}
		below, best, at = at, rate, n
		if n == p.Most {
			break
		}
	}
	for below > 0 && float64(at)/float64(below) > near && at-below > 1 {
		n := int(math.Round(math.Sqrt(float64(below) * float64(at))))
		rate, err := p.try(ctx, n)
		switch {
		case err != nil && !errors.Is(err, ErrTooMany):
			return 0, err
		case err == nil && rate*(1+worth) >= best:
			at = n
		default:
			below = n
		}
	}
	return at, nil
}

// highest narrows down up to how many users a server raises the rate that fails at some: between those that it answers
// and those at which it fails.
func (p Probe) highest(ctx context.Context, good, fails int, best float64) (int, error) {
	for float64(fails)/float64(good) > near && fails-good > 1 {
		n := int(math.Round(math.Sqrt(float64(good) * float64(fails))))
		rate, err := p.try(ctx, n)
		switch {
		case err != nil && !errors.Is(err, ErrTooMany):
			return 0, err
		case err == nil && rate > best:
			good, best = n, rate
		default:
			fails = n
		}
	}
	return good, nil
}

func (p Probe) try(ctx context.Context, n int) (float64, error) {
	rate, err := p.Try(ctx, n)
	if p.Say != nil {
		switch {
		case err == nil:
			p.Say(fmt.Sprintf("%d users: %.1f tokens per second", n, rate))
		case errors.Is(err, ErrTooMany):
			p.Say(fmt.Sprintf("%d users: %v", n, err))
		}
	}
	return rate, err
}

// ServerTries makes a Probe's Try of a server: each number of users asks for a time. The end gives the connection back.
func ServerTries(
	ctx context.Context, c serving.ServerConnection, url string, o prompts.PromptOptions, each time.Duration,
) (try func(ctx context.Context, users int) (float64, error), end func(), err error) {
	wire, err := c.Connect(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	end = func() { _ = wire.Close() } // nothing is written
	load := arrival.Pattern{Kind: arrival.Users, Duration: each}
	s, err := serving.OpenSession(wire, serving.Plan{Connection: c, Prompts: o, Base: load,
		Loads: []arrival.Pattern{load}})
	if err == nil {
		err = s.AskFirst(ctx, nil)
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	s.Settings.Record = s.BaseRecord()
	asked := 0
	return func(ctx context.Context, users int) (float64, error) {
		l := load
		l.Users = users
		point, err := s.Settings.MeasureLoad(ctx, l, 0, asked)
		if err != nil {
			return 0, err
		}
		asked += len(point.Requests)
		served := point.Record.Serving
		switch {
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		case served.Unanswered() || served.Failed():
			return 0, fmt.Errorf("%w: %d of %d requests failed", ErrTooMany, served.Figures.FailedTotal(),
				served.Figures.Requests)
		case served.Figures.TokensPerSec == nil || *served.Figures.TokensPerSec <= 0:
			return 0, sdk.Data(errors.New("the server counts no tokens: give --c-max"))
		}
		return *served.Figures.TokensPerSec, nil
	}, end, nil
}
