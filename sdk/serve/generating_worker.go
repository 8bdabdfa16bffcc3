package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// promptWorker implements batch.Worker by passing one prompt at a time to a generator. Its memory is reused for each
// prompt.
type promptWorker struct {
	workload  sdk.Generative
	generator backend.Generator
	library   *batch.SampleLibrary[sdk.Sample]
	outbox    *answerOutbox

	id      [1]loadgen.ResponseID
	sample  []sdk.Sample
	prompt  backend.Prompt
	payload []byte
	tokens  [1]uint32
	quiet   bool // in a warm-up: tokens are not reported
	// replay means that answers may fail. limit is the time limit of an answer; 0: none.
	replay bool
	limit  time.Duration
}

func (w *promptWorker) Collate(samples []loadgen.QuerySample) (err error) {
	w.id[0] = samples[0].ID
	if w.sample, err = w.library.Get(w.sample[:0], samples); err != nil {
		return err
	}
	w.prompt, err = w.workload.Prompt(w.sample[0])
	return err
}

func (w *promptWorker) Run(ctx context.Context) error {
	if w.replay && !w.quiet {
		return w.runTurn(ctx)
	}
	return w.runGenerator(ctx)
}

func (w *promptWorker) runGenerator(ctx context.Context) error {
	s := &tokenSink{worker: w}
	err := w.generator.Generate(ctx, w.prompt, s)
	return s.closeSink(err)
}

// runTurn answers a turn of a conversation, even if the generator fails or takes too long.
func (w *promptWorker) runTurn(ctx context.Context) error {
	inner := ctx
	if w.limit > 0 {
		var cancel context.CancelFunc
		inner, cancel = context.WithTimeoutCause(ctx, w.limit, sdk.ErrTurnTimeout)
		defer cancel()
	}
	err := w.runGenerator(inner)
	if _, breach := errors.AsType[breachError](err); err == nil || ctx.Err() != nil || breach {
		return err
	}
	if cause := context.Cause(inner); cause != nil {
		err = cause
	}
	w.payload, w.tokens[0] = sdk.AppendFailedTurn(w.payload[:0], err), 0
	return nil
}

func (w *promptWorker) Deliver() error {
	return deliverAnswers(w.outbox.addAnswers, wire.AnswerBatch{IDs: w.id[:], Data: w.payload, Ends: []int{len(w.payload)},
		Tokens: w.tokens[:]})
}

// firstToken reports the first token, with the payload of its known content.
func (w *promptWorker) firstToken(t backend.Tokens) error {
	if w.quiet {
		return nil
	}
	var payload []byte
	if len(t.IDs) > 0 || t.Text != "" {
		var err error
		if payload, _, err = w.workload.AppendTokens(nil, w.sample[0], t); err != nil {
			return fmt.Errorf("payload of the first token: %w", err)
		}
	}
	return deliverAnswers(w.outbox.firstToken, wire.AnswerBatch{IDs: w.id[:], Data: payload, Ends: []int{len(payload)}})
}

// keepAnswer keeps the answer for Deliver.
func (w *promptWorker) keepAnswer(t backend.Tokens) error {
	payload, n, err := w.workload.AppendTokens(w.payload[:0], w.sample[0], t)
	if err != nil {
		return fmt.Errorf("payload of %d tokens: %w", t.N, err)
	}
	if n == backend.Uncounted && t.N == n {
		return errUncounted
	}
	if n < 0 || int64(n) > math.MaxUint32 {
		return fmt.Errorf("the answer counts %d tokens", n)
	}
	w.payload, w.tokens[0] = payload, uint32(n)
	return nil
}

// warmUp generates from sample and drops the answer. It ignores n, because a worker processes one prompt at a time.
func (w *promptWorker) warmUp(ctx context.Context, sample sdk.Sample, _ int) (err error) {
	defer batch.RecoverPanic(&err, func() string { return "the warm-up" })
	w.quiet = true
	defer func() { w.quiet = false }()
	w.sample = append(w.sample[:0], sample)
	if w.prompt, err = w.workload.Prompt(sample); err != nil {
		return fmt.Errorf("prompt of the warm-up: %w", err)
	}
	if err := w.Run(ctx); err != nil {
		return fmt.Errorf("generate for the warm-up: %w", err)
	}
	return nil
}

// Breaches of the contract of backend.Generator.
var (
	errFirstTwice    = errors.New("the generator reported the first token twice")
	errFirstLate     = errors.New("the generator reported the first token after the answer")
	errCompleteTwice = errors.New("the generator completed the answer twice")
	errUncounted     = errors.New("the server counts no tokens, and neither does the benchmark")
	errIncomplete    = errors.New("the generator returned without an answer")
)

// breachError is an error because of such a breach or of the workload. It is not a failed answer.
type breachError struct{ error }

func (e breachError) Unwrap() error { return e.error }

// tokenSink implements backend.TokenSink for one Generate call. A generator that reports after the end of the call
// therefore does not affect the next prompt.
type tokenSink struct {
	worker *promptWorker

	mu        sync.Mutex
	first     bool
	completed bool
	ended     bool
	fault     error // the first fault
}

func (s *tokenSink) FirstToken(t backend.Tokens) {
	s.withOpenSink(func() error {
		switch {
		case s.completed:
			return errFirstLate
		case s.first:
			return errFirstTwice
		}
		s.first = true
		return s.worker.firstToken(t)
	})
}

func (s *tokenSink) Complete(t backend.Tokens) {
	s.withOpenSink(func() error {
		if s.completed {
			return errCompleteTwice
		}
		s.completed = true
		return s.worker.keepAnswer(t)
	})
}

// withOpenSink calls f, unless the call has ended or failed, and keeps its error. It recovers a panic of the workload,
// because the goroutine belongs to the generator.
func (s *tokenSink) withOpenSink(f func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.fault != nil {
		return
	}
	defer batch.RecoverPanic(&s.fault, func() string { return "AppendTokens" })
	s.fault = f()
}

// closeSink closes the sink and returns the result of the call, which returned err.
func (s *tokenSink) closeSink(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	switch {
	case s.fault != nil:
		return breachError{errors.Join(s.fault, err)}
	case err == nil && !s.completed:
		return breachError{errIncomplete}
	}
	return err
}
