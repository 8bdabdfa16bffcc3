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

// ReplayAnswers maps the samples of a replay to the payloads of their answers, including those of failed turns.
type ReplayAnswers map[int][]byte

// replayGrace is how long Replay waits, after its time has ended, for an answer under way.
const replayGrace = 240 * time.Second

// Replay sends the turns of recorded conversations, which are the samples in order. It sends each turn once and waits
// for the answer before it sends the next. If an answer fails, Replay skips the conversation's later turns. It stops
// after maxTime at the latest. The turns that it did not send are missing from the result.
func Replay(
	ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, conversations []sdk.Conversation, maxTime time.Duration,
	progress *engine.PointProgress,
) (p *engine.MeasuredPoint, answers ReplayAnswers, err error) {
	asks := toAskList(conversations)
	if n := qsl.TotalSampleCount(); n != len(asks) || n == 0 {
		return nil, nil, fmt.Errorf("%d conversations have %d turns, and the data set has %d samples",
			len(conversations), len(asks), n)
	}
	answers = ReplayAnswers{}
	err = withSamplesLoaded(ctx, sut, qsl, len(asks), func(samples int) (err error) {
		plan := engine.PointPlan{
			Asks: asks, Grace: replayGrace, MaxErrors: &engine.MaxErrors{Count: math.MaxInt}, Progress: progress,
			Load: arrival.Pattern{Kind: arrival.Users, Users: 1, Sessions: true, Requests: len(asks), Duration: maxTime},
		}
		if p, err = measureUsers(ctx, &sutAsker{sut: sut, batch: 1, loaded: samples, answers: answers}, plan); p != nil {
			p.Window = nil // all turns count, including the last one
		}
		return err
	})
	return p, answers, err
}

// toAskList returns the turns as requests.
func toAskList(conversations []sdk.Conversation) (asks engine.AskList) {
	for _, c := range conversations {
		for k := range c.Turns {
			asks = append(asks, prompts.Ask{Row: len(asks), Session: c.ID, Turn: k})
		}
	}
	return asks
}

// recordTurn records the finish reason and the error that a turn's answer contains.
func (q *loopQuery) recordTurn(r *metrics.Request) error {
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
