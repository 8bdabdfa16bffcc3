package closedloop

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// Answers are the payloads of a replay's answers, by their samples; what failed has one, too.
type Answers map[int][]byte

// replayGrace is how long an answer that is under way at the end of the time is waited for.
const replayGrace = 240 * time.Second

// Replay asks the turns of recorded conversations, which are the samples in their order: one at a time, each once, the
// next when the answer has come. An answer that fails ends its conversation: its later turns are never sent. It ends
// after so long at the latest; what is not sent then leaves no trace but that it is missing.
func Replay(
	ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, all []sdk.Conversation, most time.Duration,
	progress *engine.PointProgress,
) (p *engine.MeasuredPoint, answers Answers, err error) {
	asks := turnsOf(all)
	if n := qsl.TotalSampleCount(); n != len(asks) || n == 0 {
		return nil, nil, fmt.Errorf("%d conversations have %d turns, and the data set has %d samples", len(all), len(asks), n)
	}
	answers = Answers{}
	err = withSamplesLoaded(ctx, sut, qsl, len(asks), func(samples int) (err error) {
		plan := engine.PointPlan{
			Asks: asks, Grace: replayGrace, MaxErrors: &engine.MaxErrors{Count: math.MaxInt}, Progress: progress,
			Load: arrival.Pattern{Kind: arrival.Users, Users: 1, Sessions: true, Requests: len(asks), Duration: most},
		}
		if p, err = askByUsers(ctx, &sutAsker{sut: sut, batch: 1, loaded: samples, answers: answers}, plan); p != nil {
			p.Window = nil // all turns count, the last one too
		}
		return err
	})
	return p, answers, err
}

// turnsOf are the turns as requests.
func turnsOf(all []sdk.Conversation) (asks engine.AskList) {
	for _, c := range all {
		for k := range c.Turns {
			asks = append(asks, prompts.Ask{Row: len(asks), Session: c.ID, Turn: k})
		}
	}
	return asks
}

// tellTurn records what a turn's answer says of itself.
func (q *loopQuery) tellTurn(r *metrics.Request) error {
	a, err := sdk.ParseTurn(q.payload)
	if err != nil {
		return err
	}
	r.Finish = a.FinishReason
	if a.Error == nil {
		return nil
	}
	r.Fault = a.Error.Message
	r.Status = metrics.Faulty
	if a.Error.Type == sdk.TurnTimedOut {
		r.Status = metrics.Timeout
	}
	return nil
}
