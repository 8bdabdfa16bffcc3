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
	// Try measures the output tokens per second with a number of users. ErrTooMany ends the search upwards.
	Try func(ctx context.Context, users int) (rate float64, err error)
	// Least and Most are the minimum (1 or more) and the maximum number of users.
	Min, Max int
	Say      func(line string)
}

// ErrTooMany reports that the server fails with the number of users.
var ErrTooMany = errors.New("the server fails at so many users")

const (
	// minRateIncrease is the minimum relative increase of the rate by twice as many users while the search continues.
	minRateIncrease = 0.03
	// minUserRatio is the ratio of two numbers of users up to which no number between them is tried.
	minUserRatio = 1.15
)

// FindCMax doubles the number of users until the rate stops rising. It then narrows the interval in which it stops, and
// returns its upper end.
func (p Probe) FindCMax(ctx context.Context) (cMax int, err error) {
	below, best, at := 0, 0.0, 0
	for n := p.Min; ; n = min(2*n, p.Max) {
		rate, err := p.tryUsers(ctx, n)
		if errors.Is(err, ErrTooMany) && at > 0 {
			return p.narrowBelowFailure(ctx, at, n, best)
		}
		if err != nil {
			return 0, err
		}
		if at > 0 && rate < best*(1+minRateIncrease) {
			best = max(best, rate)
			break
		}
		below, best, at = at, rate, n
		if n == p.Max {
			break
		}
	}
	for below > 0 && float64(at)/float64(below) > minUserRatio && at-below > 1 {
		n := int(math.Round(math.Sqrt(float64(below) * float64(at))))
		rate, err := p.tryUsers(ctx, n)
		switch {
		case err != nil && !errors.Is(err, ErrTooMany):
			return 0, err
		case err == nil && rate*(1+minRateIncrease) >= best:
			at = n
		default:
			below = n
		}
	}
	return at, nil
}

// narrowBelowFailure narrows the interval between a number of users that the server handles and one with which it
// fails. It returns the highest number that raises the rate.
func (p Probe) narrowBelowFailure(ctx context.Context, good, fails int, best float64) (int, error) {
	for float64(fails)/float64(good) > minUserRatio && fails-good > 1 {
		n := int(math.Round(math.Sqrt(float64(good) * float64(fails))))
		rate, err := p.tryUsers(ctx, n)
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

func (p Probe) tryUsers(ctx context.Context, n int) (float64, error) {
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

// ServerTries returns the Try function of a Probe for a server. Each number of users sends requests for the duration
// each. end closes the connection.
func ServerTries(
	ctx context.Context, c serving.ServerConnection, url string, o prompts.PromptOptions, each time.Duration,
) (try func(ctx context.Context, users int) (float64, error), end func(), err error) {
	wire, err := c.Connect(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	end = func() { _ = wire.Close() } // there is no buffered data
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
