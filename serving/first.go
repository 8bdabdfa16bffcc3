package serving

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// AskFirst determines the settings common to all loads and sends one request that figures exclude. It shows whether the
// server accepts the request. waiting, if not nil, is called with a message if the answer takes long. Errors have the
// class sdk.ErrUsage or sdk.ErrData.
func (s *Session) AskFirst(ctx context.Context, waiting func(text string)) error {
	p := &s.Plan
	noTokens := s.Set.API == prompts.Embeddings || s.Set.API == prompts.Rerank
	s.Settings = sweep.PointSettings{
		Asker: s.asker, Prompts: s.Set, Seed: p.Prompts.Seed, WarmUp: p.warmUpCount(), Grace: p.graceTime(),
		GraceAlways: p.Grace != 0,
		MaxErrors:   p.MaxErrors, MaxRetries: p.Retry, LoadGen: p.LoadGen, WholeWindow: p.WholeWindow,
		Objectives:     p.Objectives,
		SharedPrefixes: p.SharesPrefixes(),
		Rules: metrics.FigureRules{
			NoTokens: noTokens, Tokenizer: p.Tokenizer != "", GPUs: p.GPUs, HourPrice: p.HourPrice,
			Servers: s.About.URLs,
		},
		EmptyCache: s.wire.ForgetPrompts,
	}
	first, err := s.tryFirst(ctx, waiting)
	if err != nil {
		return classifyAsk(ctx, err)
	}
	if err := s.judgeFirst(first, noTokens); err != nil {
		return err
	}
	if first.Found == metrics.OK {
		s.Settings.Latency = time.Duration(first.DoneAt() - first.Sent)
	}
	return s.subtractTemplate(ctx, first)
}

// noticeAfter is the time without an answer after which waiting is called.
const noticeAfter = time.Second

// tryFirst sends one request and calls waiting if the answer takes long.
func (s *Session) tryFirst(ctx context.Context, waiting func(text string)) (metrics.Measured, error) {
	answered := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() {
		select {
		case <-answered:
		case <-time.After(noticeAfter):
			if waiting != nil {
				waiting(fmt.Sprintf("asking once before the measurement, %s at most: no whole answer yet",
					figure.Seconds(s.Plan.MaxFirstTime())))
			}
		}
	})
	m, err := s.Settings.TryRequest(ctx, s.Plan.MaxFirstTime())
	close(answered)
	saying.Wait()
	return m, err
}

// classifyAsk adds a class to an error that occurred while a request was written.
func classifyAsk(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, openai.ErrPrompt), errors.Is(err, backend.ErrOption):
		return sdk.Usage(err)
	}
	return exitcode.OrData(err)
}

// judgeFirst judges the first answer. A server that refuses the request cannot be measured with it. Other failures may
// be temporary.
func (s *Session) judgeFirst(m metrics.Measured, noTokens bool) error {
	switch m.Found {
	case metrics.OK:
	case statusOfCode(http.StatusBadRequest), statusOfCode(http.StatusUnprocessableEntity),
		statusOfCode(http.StatusRequestEntityTooLarge):
		return sdk.Usage(fmt.Errorf("the server refuses the request: %s", m.Fault))
	case statusOfCode(http.StatusUnauthorized), statusOfCode(http.StatusForbidden), statusOfCode(http.StatusNotFound),
		statusOfCode(http.StatusMethodNotAllowed), statusOfCode(http.StatusNotImplemented), metrics.Refused:
		return sdk.Data(fmt.Errorf("%s: %s", s.Set.API.EndpointPath(), m.Fault))
	case metrics.Cancelled:
		return nil
	case metrics.Unfinished:
		s.addNote(fmt.Sprintf("the first request was asked once, and had no whole answer within %s: nothing is known of how "+
			"long one takes", figure.Seconds(s.Plan.MaxFirstTime())))
		return nil
	default:
		text := strings.TrimSpace(fmt.Sprintf("the first request failed: %s: %s", m.Found, m.Fault))
		s.addNote(strings.TrimSuffix(text, ":"))
		return nil
	}
	switch {
	case noTokens:
	case m.By == metrics.Uncounted:
		s.addNote("the server counts no tokens of answers (neither ids nor a usage record): tokens are not measured, times " +
			"are; --tokenizer FILE counts them")
	case m.Request.Whole && !s.Plan.Whole:
		s.addNote("the server does not stream: only whole answers are timed")
	}
	return nil
}

// statusOfCode returns the status of a request that the server answered with an HTTP status other than 200.
func statusOfCode(code int) metrics.Status { return metrics.Status(fmt.Sprintf("http_%d", code)) }

func (s *Session) addNote(text string) { s.Notes = append(s.Notes, text) }
