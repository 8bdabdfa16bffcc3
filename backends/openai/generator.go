package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Generator asks servers to continue prompts (backend.Generator). Calls that exceed the servers' places wait in order
// of arrival.
type Generator struct {
	settings openaiSettings
	asker    *requestMaker
	client   *http.Client
	header   http.Header // header of all requests
	balancer *balancer
	cache    *cacheWatch
	calls    sync.Pool
	session  string // unique part of this run's salts
	sessions sessionTurns
	salts    atomic.Uint64

	answered, retried, restarted atomic.Int64
}

// Limits returns the maximum number of concurrent requests at the servers.
func (g *Generator) Limits() backend.Limits {
	return backend.Limits{Concurrency: g.settings.places * len(g.settings.endpoints)}
}

// Close closes the connections.
func (g *Generator) Close() error {
	g.client.CloseIdleConnections()
	return nil
}

// Generate asks a server for an answer (backend.Generator). It reports the first token, with all tokens of the same
// part, when the first part of the answer with a token arrives.
func (g *Generator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	turn := g.sessions.nextTurn(p.Session)
	r, err := g.asker.makeRequest(p, g.cacheBuster(turn), turn.maxCached() > 0)
	if err != nil {
		return err
	}
	if g.settings.total > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, g.settings.total, errTotalTimeout)
		defer cancel()
	}
	c, ok := g.calls.Get().(*generateCall)
	if !ok {
		c = &generateCall{}
	}
	defer func() {
		if len(c.events.buffer) <= maxKeptBytes { // do not keep the memory of a long answer
			g.calls.Put(c)
		}
	}()
	c.answer.reset(sink, g.settings.count)
	c.request, c.maxBytes = r, maxAnswerBytes(cmp.Or(p.MaxNewTokens, maxUnrequested))
	defer func() { c.request = serverRequest{} }() // its body may be large
	if err := g.askWithRetry(ctx, r, c, turn); err != nil {
		return err
	}
	return g.reportAnswer(p, c, turn)
}

// cacheBuster returns a salt. It is new for each request, except that the turns of a session share one.
func (g *Generator) cacheBuster(t *sessionTurn) string {
	if g.settings.cache == cacheAllow {
		return ""
	}
	if t != nil {
		return g.session + "-" + t.session
	}
	return g.session + strconv.FormatUint(g.salts.Add(1), 36)
}

// askWithRetry sends the request until there is an answer or further attempts are useless. A turn of a conversation is
// sent only once, to the server of the earlier turns.
func (g *Generator) askWithRetry(ctx context.Context, r serverRequest, c *generateCall, turn *sessionTurn) error {
	c.singleAttempt, c.reused = turn != nil, false
	for try := 0; ; try++ {
		e, err := g.balancer.acquire(ctx, turn.endpointToAsk())
		if err != nil {
			return timeoutError("waiting for a place at a server", err)
		}
		turn.bindEndpoint(e)
		fail := g.askEndpoint(ctx, e, r, c)
		if fail == nil {
			g.balancer.markHealthy(e)
			return nil
		}
		fail.err = fmt.Errorf("%s: %w", e.base.Host, fail.err)
		g.markFailure(e, fail, try)
		if c.singleAttempt && (try > 0 || !c.wasUnread(fail)) {
			return cmp.Or(context.Cause(ctx), fail.err)
		}
		if err := g.retryOrFail(ctx, e, fail, try, c); err != nil {
			return err
		}
	}
}

// markFailure records the state of an endpoint after a failed attempt and releases the place there.
func (g *Generator) markFailure(e *serverEndpoint, fail *tryFailure, try int) {
	fail.gone = fail.gone || fail.late && g.settings.continues
	switch {
	case fail.gone:
		g.balancer.markLost(e, fail.err)
	case fail.busy:
		g.balancer.markBusy(e, max(fail.wait, backoffAfter(try)))
	}
	g.balancer.release(e)
}

// retryOrFail decides what to do after a failed attempt. It returns nil, after a pause, if the request should be sent
// again.
func (g *Generator) retryOrFail(ctx context.Context, e *serverEndpoint, fail *tryFailure, try int,
	c *generateCall) error {
	if err := context.Cause(ctx); err != nil {
		return timeoutError(e.base.Host, err)
	}
	s := &g.settings
	switch {
	case !fail.gone && !fail.busy:
		return fail.err
	case c.answer.firstReported && !s.continues:
		return fmt.Errorf("the server is gone within an answer, of which %d parts had come (option on_failure=continue "+
			"asks another): %w", c.answer.parts, fail.err)
	case try >= s.retries+len(s.endpoints)-1 || !s.continues && g.balancer.failureCount(e) > s.retries:
		if err := g.balancer.unreachableError(); err != nil {
			return fmt.Errorf("%w (asked %d times)", err, try+1)
		}
		return fmt.Errorf("asked %d times: %w", try+1, fail.err)
	}
	if c.answer.firstReported {
		g.restarted.Add(1)
	} else {
		g.retried.Add(1)
	}
	c.answer.restart()
	return timeoutError(e.base.Host, sleepContext(ctx, g.balancer.retryPause()))
}

// sleepContext waits for d. If ctx ends earlier, it returns the cause of ctx.
func sleepContext(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// reportAnswer delivers a complete answer.
func (g *Generator) reportAnswer(p backend.Prompt, c *generateCall, turn *sessionTurn) error {
	a := &c.answer
	t, err := a.allTokens()
	if errors.Is(err, errUncounted) && (a.isCountable() || p.Fields != nil) && !c.isTranscript() {
		t.N, err = backend.Uncounted, nil
	}
	if err != nil {
		return err
	}
	if t.N != backend.Uncounted && t.N < p.MinNewTokens && !g.asker.setsBodyField("min_tokens") {
		return g.asker.tooShortError(t.N, p.MinNewTokens)
	}
	if most := turn.maxCached(); a.usage.cached > most && g.settings.cache == cacheOff {
		return fmt.Errorf("%w: %d tokens%s; turn the cache off at the server (vLLM: --no-enable-prefix-caching, SGLang: "+
			"--disable-radix-cache, llama.cpp: --no-cache-prompt), or choose option prefix_cache=report",
			ErrPrefixCache, a.usage.cached, turn.describeMaxCached())
	}
	turn.noteUsage(a.usage)
	if !a.firstReported && t.N > 0 { // tokens without text, such as the end token alone
		a.reportFirst(backend.Tokens{IDs: t.IDs, N: t.N})
	}
	a.sink.Complete(t)
	g.answered.Add(1)
	if g.settings.cache != cacheAllow && !c.isTranscript() {
		g.cache.notePrompt(p, a.firstAfter, a.usage.cached)
	}
	return nil
}

// Report returns the observations so far.
func (g *Generator) Report() GeneratorReport {
	r := g.cache.makeReport()
	r.Answers, r.Retried, r.Restarted = g.answered.Load(), g.retried.Load(), g.restarted.Load()
	return r
}
