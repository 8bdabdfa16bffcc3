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

// Loop says what is run. All numbers are at least 1.
type Loop struct {
	Batch       int // samples of each query
	Concurrency int // clients
	Iterations  int // queries of all clients together
}

// Times are what was measured.
type Times struct {
	// WarmUp is of one query of each client, which come before the others and count in nothing else.
	WarmUp time.Duration
	// Total is from the first query to the last answer.
	Total time.Duration
	// Each is the time of each query, from its issue to its last answer, in the order of their beginning.
	Each []time.Duration
}

// checkLoop says what of a loop cannot be run.
func (l Loop) checkLoop(samples int) error {
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

// Run loads the first Batch samples, once, and measures. Where the data set has fewer, they take turns. Every query is
// of the same samples: what is measured is inference, and no reading.
func Run(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, l Loop) (t Times, err error) {
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

// withSamplesLoaded runs use with the first samples in memory, and a system that is warm.
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

// querySeries is what was measured of a number of queries by all clients.
type querySeries struct {
	length time.Duration // from the first query to the last answer
	each   []time.Duration
}

// measureQueries has so many queries sent by all clients, the response ids of which begin with first.
func measureQueries(ctx context.Context, sut loadgen.SUT, l Loop, samples, queries, first int) (s querySeries,
	err error) {
	users := arrival.Pattern{Kind: arrival.Users, Users: l.Concurrency, Requests: queries}
	plan := engine.PointPlan{Asks: make(engine.AskList, 1), Load: users, NoTokens: true}
	p, err := askByUsers(ctx, &sutAsker{sut: sut, batch: l.Batch, loaded: samples, first: first}, plan)
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

// askByUsers measures by users. The first fault of the system ends it.
func askByUsers(ctx context.Context, a *sutAsker, plan engine.PointPlan) (*engine.MeasuredPoint, error) {
	ctx, a.stop = context.WithCancelCause(ctx)
	defer a.stop(nil)
	a.asked = make(map[int]*loopQuery, plan.Load.Users)
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

// Tokens measures a system that tells of its tokens as a server of language models is measured: users ask for one
// sample each, of the first samples that fit into memory, in an order that the load's seed shuffles. Of a request are
// known its first token, its end and how many tokens there are: gaps between tokens are not. The load is one of users;
// WarmUp is how many requests warm up. The first fault of the system is an error; the point then has what was done.
func Tokens(
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
		p, err = askByUsers(ctx, &sutAsker{sut: sut, batch: 1, loaded: samples}, plan)
		return err
	})
	return p, err
}

// sutAsker has a SUT answer queries of the loaded samples, and is the Responder of them all.
type sutAsker struct {
	sut    loadgen.SUT
	batch  int // samples of each query
	loaded int // samples in memory
	first  int // response id of the first sample
	stop   context.CancelCauseFunc
	// answers keeps the payloads of a replay; nil: nobody wants any.
	answers Answers

	clients []loopClient

	mu    sync.Mutex
	next  int
	asked map[int]*loopQuery // without an answer, by their numbers
}

// loopClient has one query at a time.
type loopClient struct {
	samples []loadgen.QuerySample
	query   loopQuery
}

// loopQuery is one query.
type loopQuery struct {
	clock        engine.Clock
	left         int // samples without an answer
	first, ended int64
	tokens       int64
	payload      []byte // of a replay
	done         chan struct{}
}

// Prepare implements engine.Asker: a request is its first sample.
func (a *sutAsker) Prepare(ask *prompts.Ask) (engine.Prepared, error) { return ask.Row, nil }

// Ask implements engine.Asker: it issues the next query, and returns when its last sample is answered.
func (a *sutAsker) Ask(ctx context.Context, p engine.Prepared, clock engine.Clock, r *metrics.Request) {
	c := &a.clients[r.User]
	i := a.beginQuery(&c.query, clock)
	for k := range c.samples {
		c.samples[k] = loadgen.QuerySample{
			ID:    loadgen.ResponseID(a.first + i*a.batch + k),
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

// keepAnswer keeps the payload of a turn's answer, and records what it says.
func (a *sutAsker) keepAnswer(q *loopQuery, row int, r *metrics.Request) {
	if a.answers == nil {
		return
	}
	a.answers[row] = q.payload
	if err := q.tellTurn(r); err != nil {
		a.stop(fmt.Errorf("sample %d: %w", row, err))
	}
}

// beginQuery takes the next number for a query.
func (a *sutAsker) beginQuery(q *loopQuery, clock engine.Clock) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	*q = loopQuery{clock: clock, left: a.batch, first: unset, done: q.done}
	i := a.next
	a.asked[i] = q
	a.next++
	return i
}

// forgetQuery lets answers to a query come for which nobody waits any more.
func (a *sutAsker) forgetQuery(i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q := a.asked[i]; q != nil {
		a.asked[i] = &loopQuery{clock: q.clock, left: a.batch + 1}
	}
}

// unset is no time.
const unset = math.MinInt64

// recordAnswer records what is known of an answer: a token at its first, and all others at its end, where there are
// some or may be.
func (q *loopQuery) recordAnswer(r *metrics.Request) {
	r.End, r.Status = q.ended, metrics.OK
	if q.tokens > 0 {
		r.Usage.Completion = q.tokens
	}
	if q.first != unset {
		r.Events.Add(metrics.StreamEvent{At: q.first, Kind: metrics.Content, Text: true})
	}
	if q.first == unset || q.tokens != 1 { // 0: nobody counted them
		r.Events.Add(metrics.StreamEvent{At: q.ended, Kind: metrics.Content, Text: true})
	}
	r.Whole = q.first == unset
}

// queryOf is the query of a sample, in the mutex; nil: it waits for no answer, which ends the loop.
func (a *sutAsker) queryOf(id loadgen.ResponseID) *loopQuery {
	i := (int(id) - a.first) / a.batch
	q := a.asked[i]
	switch {
	case q != nil && int(id) >= a.first:
		return q
	case int(id) < a.first || i >= a.next:
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
		q := a.queryOf(r.ID)
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
		if q.left--; q.left == 0 {
			q.ended = now
			delete(a.asked, (int(r.ID)-a.first)/a.batch)
			q.done <- struct{}{}
		}
	}
}

// FirstTokenComplete implements loadgen.Responder.
func (a *sutAsker) FirstTokenComplete(rs []loadgen.QuerySampleResponse) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range rs {
		if q := a.queryOf(r.ID); q != nil && q.first == unset {
			q.first = q.clock.Now()
		}
	}
}
