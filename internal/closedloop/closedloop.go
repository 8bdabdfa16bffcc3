// Package closedloop measures a system under test without LoadGen. Each of its clients sends a batch, waits for the
// answer and sends the next. MLMark measures throughput and latency in this way, and `run --concurrency` measures a
// language model with a number of users.
//
// In scope: an adapter from loadgen's SUT and QSL to the users of package serving. Out of scope: the loop itself
// (serving), scores.
package closedloop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// LoopPlan describes the queries of a measurement. All numbers are at least 1.
type LoopPlan struct {
	Batch       int // samples per query
	Concurrency int // number of clients
	Iterations  int // total queries of all clients
}

// LoopTimes contains the measured times.
type LoopTimes struct {
	// WarmUp is the time of the warm-up, one query per client before the measured ones. No other figure includes it.
	WarmUp time.Duration
	// Total is the time from the first query to the last answer.
	Total time.Duration
	// Each contains the time of each query, from its issue to its last answer, ordered by start.
	Each []time.Duration
}

// checkLoop reports the faults of a loop for a data set of samples samples.
func (l LoopPlan) checkLoop(samples int) error {
	switch {
	case l.Batch < 1 || l.Concurrency < 1 || l.Iterations < 1:
		return fmt.Errorf("batch %d, concurrency %d, %d iterations: want at least 1 of each", l.Batch, l.Concurrency,
			l.Iterations)
	case uint64(l.Iterations+l.Concurrency)*uint64(l.Batch) > math.MaxUint32:
		return fmt.Errorf("%d iterations of %d samples: want at most %d samples", l.Iterations, l.Batch, math.MaxUint32)
	case samples < 1:
		return errors.New("the data set has no sample")
	}
	return nil
}

// Run loads the first Batch samples once and measures. If the data set has fewer samples, the queries repeat them. All
// queries use these samples, so the times include inference but no loading.
func Run(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, l LoopPlan) (t LoopTimes, err error) {
	if err := l.checkLoop(qsl.TotalSampleCount()); err != nil {
		return t, err
	}
	err = withSamplesLoaded(ctx, sut, qsl, min(l.Batch, qsl.TotalSampleCount()), func(samples int) error {
		warm, err := measureQueries(ctx, sut, l, samples, l.Concurrency, 0)
		if err != nil {
			return err
		}
		t.WarmUp = warm.length
		timed, err := measureQueries(ctx, sut, l, samples, l.Iterations, l.Concurrency*l.Batch)
		t.Total, t.Each = timed.length, timed.each
		return err
	})
	return t, err
}

// withSamplesLoaded loads the first n samples, warms the system up and calls use. It unloads the samples afterwards.
func withSamplesLoaded(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, n int,
	use func(samples int) error) (err error) {
	all := make([]loadgen.SampleIndex, n)
	for i := range all {
		all[i] = loadgen.SampleIndex(i)
	}
	if err := qsl.LoadSamplesToRAM(ctx, all); err != nil {
		return fmt.Errorf("loading samples: %w", err)
	}
	defer func() { err = errors.Join(err, qsl.UnloadSamplesFromRAM(context.WithoutCancel(ctx), all)) }()
	if w, ok := sut.(loadgen.Warmer); ok {
		if err := w.WarmUp(ctx); err != nil {
			return fmt.Errorf("warming up: %w", err)
		}
	}
	return use(n)
}

// querySeries contains the times of a number of queries.
type querySeries struct {
	length time.Duration // from the first query to the last answer
	each   []time.Duration
}

// measureQueries sends a number of queries from all clients and measures them. The response ids begin with first.
func measureQueries(ctx context.Context, sut loadgen.SUT, l LoopPlan, samples, queries, first int) (s querySeries,
	err error) {
	users := arrival.Pattern{Kind: arrival.Users, Users: l.Concurrency, Requests: queries}
	plan := engine.PointPlan{Asks: make(engine.AskList, 1), Load: users, NoTokens: true}
	p, err := measureUsers(ctx, &sutAsker{sut: sut, batch: l.Batch, loaded: samples, firstID: first}, plan)
	if p == nil {
		return s, err
	}
	var from, to int64 = math.MaxInt64, 0
	for i := range p.Requests {
		if r := &p.Requests[i]; r.Status == metrics.OK {
			s.each = append(s.each, time.Duration(r.End-r.Sent))
			from, to = min(from, r.Sent), max(to, r.End)
		}
	}
	s.length = time.Duration(max(0, to-from))
	return s, err
}

// measureUsers runs the plan's users. It stops at the system's first fault.
func measureUsers(ctx context.Context, a *sutAsker, plan engine.PointPlan) (*engine.MeasuredPoint, error) {
	ctx, a.stop = context.WithCancelCause(ctx)
	defer a.stop(nil)
	a.pending = make(map[int]*loopQuery, plan.Load.Users)
	a.clients = make([]loopClient, plan.Load.Users)
	for i := range a.clients {
		a.clients[i] = loopClient{samples: make([]loadgen.QuerySample, a.batch), query: loopQuery{done: make(chan struct{},
			1)}}
	}
	p, err := engine.Measure(ctx, a, plan)
	if err != nil {
		return nil, err
	}
	return p, context.Cause(ctx)
}

// MeasureTokens measures a system that reports its tokens in the same way as a server of language models. Each request
// of a user asks for one of the first samples that fit into memory, in an order shuffled by the load's seed. A
// request's first token, end and token count are known, but not the gaps between tokens. The load must be one of users,
// and warmUp is the number of warm-up requests. The system's first fault is an error; the returned point then contains
// the requests before it.
func MeasureTokens(
	ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, l arrival.Pattern, warmUp int, progress *engine.PointProgress,
) (p *engine.MeasuredPoint, err error) {
	n := min(qsl.TotalSampleCount(), qsl.PerformanceSampleCount())
	if n < 1 {
		return nil, errors.New("the data set has no sample")
	}
	err = withSamplesLoaded(ctx, sut, qsl, n, func(samples int) (err error) {
		rows := make(engine.AskList, samples)
		for i, row := range rand.New(rand.NewPCG(l.Seed, 0)).Perm(samples) {
			rows[i].Row = row
		}
		plan := engine.PointPlan{Asks: rows, Load: l, Grace: engine.DefaultGrace, Progress: progress}
		first := make(engine.AskList, warmUp)
		for i := range first {
			first[i] = rows[len(rows)-1-i%len(rows)]
		}
		plan.WarmUp = first
		p, err = measureUsers(ctx, &sutAsker{sut: sut, batch: 1, loaded: samples}, plan)
		return err
	})
	return p, err
}

// sutAsker sends the requests of users to a SUT as queries of the loaded samples, and receives all responses.
type sutAsker struct {
	sut     loadgen.SUT
	batch   int // samples per query
	loaded  int // samples in memory
	firstID int // response id of the first sample
	stop    context.CancelCauseFunc
	// answers collects the payloads of a replay; nil: they are discarded.
	answers ReplayAnswers

	clients []loopClient

	mu      sync.Mutex
	next    int
	pending map[int]*loopQuery // queries without an answer, by number
}

// loopClient is a client with one query at a time.
type loopClient struct {
	samples []loadgen.QuerySample
	query   loopQuery
}

// loopQuery is the state of one query. Times are in the clock's unit.
type loopQuery struct {
	clock             engine.Clock
	unanswered        int // samples without an answer
	firstToken, ended int64
	tokens            int64
	payload           []byte // of a replay
	done              chan struct{}
}

// Prepare implements engine.Asker. The prepared request is the index of the query's first sample.
func (a *sutAsker) Prepare(ask *prompts.Ask) (engine.Prepared, error) { return ask.Row, nil }

// Ask implements engine.Asker. It issues the next query and waits until all of its samples are answered.
func (a *sutAsker) Ask(ctx context.Context, p engine.Prepared, clock engine.Clock, r *metrics.Request) {
	c := &a.clients[r.User]
	i := a.beginQuery(&c.query, clock)
	for k := range c.samples {
		c.samples[k] = loadgen.QuerySample{
			ID:    loadgen.ResponseID(a.firstID + i*a.batch + k),
			Index: loadgen.SampleIndex((p.(int) + k) % a.loaded),
		}
	}
	r.Status = metrics.Cancelled
	r.Sent = clock.Now()
	if err := a.sut.IssueQuery(ctx, loadgen.Query{Samples: c.samples}, a); err != nil {
		a.stop(fmt.Errorf("query %d: %w", i, err))
		return
	}
	select {
	case <-c.query.done:
		c.query.recordAnswer(r)
		a.keepAnswer(&c.query, p.(int), r)
	case <-ctx.Done():
		a.forgetQuery(i)
	}
}

// keepAnswer stores the payload of a turn's answer in a replay, and records the answer's status.
func (a *sutAsker) keepAnswer(q *loopQuery, row int, r *metrics.Request) {
	if a.answers == nil {
		return
	}
	a.answers[row] = q.payload
	if err := q.recordTurn(r); err != nil {
		a.stop(fmt.Errorf("sample %d: %w", row, err))
	}
}

// beginQuery registers a query and returns its number.
func (a *sutAsker) beginQuery(q *loopQuery, clock engine.Clock) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	*q = loopQuery{clock: clock, unanswered: a.batch, firstToken: noTime, done: q.done}
	i := a.next
	a.pending[i] = q
	a.next++
	return i
}

// forgetQuery makes later answers to an abandoned query harmless.
func (a *sutAsker) forgetQuery(i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q := a.pending[i]; q != nil {
		a.pending[i] = &loopQuery{clock: q.clock, unanswered: a.batch + 1}
	}
}

// noTime is the time of an event that has not happened.
const noTime = math.MinInt64

// recordAnswer records the answer in r. It reports one token at the time of the first token. At the end it reports the
// other tokens, if there are any or their number is unknown.
func (q *loopQuery) recordAnswer(r *metrics.Request) {
	r.End, r.Status = q.ended, metrics.OK
	if q.tokens > 0 {
		r.Usage.Completion = q.tokens
	}
	if q.firstToken != noTime {
		r.Events.Add(metrics.StreamEvent{At: q.firstToken, Kind: metrics.Content, Text: true})
	}
	if q.firstToken == noTime || q.tokens != 1 { // 0: the tokens were not counted
		r.Events.Add(metrics.StreamEvent{At: q.ended, Kind: metrics.Content, Text: true})
	}
	r.Whole = q.firstToken == noTime
}

// findQuery returns the query of a sample; the caller must hold the mutex. If no answer is expected for the sample, it
// stops the loop and returns nil.
func (a *sutAsker) findQuery(id loadgen.ResponseID) *loopQuery {
	i := (int(id) - a.firstID) / a.batch
	q := a.pending[i]
	switch {
	case q != nil && int(id) >= a.firstID:
		return q
	case int(id) < a.firstID || i >= a.next:
		a.stop(fmt.Errorf("an answer for sample %d, which was not asked for", id))
	default:
		a.stop(fmt.Errorf("sample %d of query %d was answered twice", id, i))
	}
	return nil
}

// QuerySamplesComplete implements loadgen.Responder.
func (a *sutAsker) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var now int64
	for k, r := range rs {
		q := a.findQuery(r.ID)
		if q == nil {
			return
		}
		if k == 0 {
			now = q.clock.Now()
		}
		q.tokens += r.NTokens
		if a.answers != nil {
			q.payload = append([]byte(nil), r.Data...)
		}
		if q.unanswered--; q.unanswered == 0 {
			q.ended = now
			delete(a.pending, (int(r.ID)-a.firstID)/a.batch)
			q.done <- struct{}{}
		}
	}
}

// FirstTokenComplete implements loadgen.Responder.
func (a *sutAsker) FirstTokenComplete(rs []loadgen.QuerySampleResponse) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range rs {
		if q := a.findQuery(r.ID); q != nil && q.firstToken == noTime {
			q.firstToken = q.clock.Now()
		}
	}
}
