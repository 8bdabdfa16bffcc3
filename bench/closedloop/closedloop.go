// Package closedloop measures a system under test without LoadGen: clients that each send one batch after the other and
// wait for each. It is how MLMark measures throughput and latency.
//
// In: loadgen's SUT and QSL, as what users of package serving ask. Out: the loop itself (serving); scores are made of
// its times elsewhere.
package closedloop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/bench/serving"
	"github.com/plumbline-ml/plumbline/bench/serving/load"
	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/bench/serving/prompts"
	"github.com/plumbline-ml/plumbline/loadgen"
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

// check says what of a loop cannot be run.
func (l Loop) check(samples int) error {
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
	if err := l.check(qsl.TotalSampleCount()); err != nil {
		return t, err
	}
	loaded := make([]loadgen.SampleIndex, min(l.Batch, qsl.TotalSampleCount()))
	for i := range loaded {
		loaded[i] = loadgen.SampleIndex(i)
	}
	if err := qsl.LoadSamplesToRAM(ctx, loaded); err != nil {
		return t, fmt.Errorf("loading samples: %w", err)
	}
	defer func() { err = errors.Join(err, qsl.UnloadSamplesFromRAM(context.WithoutCancel(ctx), loaded)) }()
	if w, ok := sut.(loadgen.Warmer); ok {
		if err := w.WarmUp(ctx); err != nil {
			return t, fmt.Errorf("warming up: %w", err)
		}
	}
	warm, err := measured(ctx, sut, l, len(loaded), l.Concurrency, 0)
	if err != nil {
		return t, err
	}
	t.WarmUp = warm.length
	timed, err := measured(ctx, sut, l, len(loaded), l.Iterations, l.Concurrency*l.Batch)
	t.Total, t.Each = timed.length, timed.each
	return t, err
}

// series is what was measured of a number of queries by all clients.
type series struct {
	length time.Duration // from the first query to the last answer
	each   []time.Duration
}

// measured has so many queries sent by all clients, the response ids of which begin with first.
func measured(ctx context.Context, sut loadgen.SUT, l Loop, loaded, queries, first int) (s series, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	a := &asker{
		sut: sut, loop: l, loaded: loaded, first: first, queries: make([]query, queries), stop: stop,
		samples: make([]loadgen.QuerySample, l.Concurrency*l.Batch),
	}
	for i := range a.queries {
		a.queries[i].done = make(chan struct{}, 1)
	}
	users := load.Pattern{Kind: load.Users, Users: l.Concurrency, Requests: queries}
	p, err := serving.Measure(ctx, a, serving.Plan{Asks: make(serving.List, 1), Load: users, NoTokens: true})
	if err != nil {
		return s, err
	}
	var from, to int64 = math.MaxInt64, 0
	for i := range p.Requests {
		if r := &p.Requests[i]; r.Status == measure.OK {
			s.each = append(s.each, time.Duration(r.End-r.Sent))
			from, to = min(from, r.Sent), max(to, r.End)
		}
	}
	s.length = time.Duration(max(0, to-from))
	return s, context.Cause(ctx)
}

// asker has a SUT answer queries of the loaded samples, and is the Responder of them all.
type asker struct {
	sut     loadgen.SUT
	loop    Loop
	loaded  int // samples in memory
	first   int // response id of the first sample
	next    atomic.Int64
	queries []query
	samples []loadgen.QuerySample // of the query of each client
	stop    context.CancelCauseFunc
}

// query is one query.
type query struct {
	clock serving.Clock
	ended int64
	left  atomic.Int32 // samples without an answer; those of a query that was not asked are below 0
	done  chan struct{}
}

// Prepare implements serving.Asker: all queries are alike.
func (a *asker) Prepare(*prompts.Ask) (serving.Prepared, error) { return nil, nil }

// Ask implements serving.Asker: it issues the next query, and returns when its last sample is answered.
func (a *asker) Ask(ctx context.Context, _ serving.Prepared, clock serving.Clock, r *measure.Request) {
	i := int(a.next.Add(1)) - 1
	samples := a.samples[r.User*a.loop.Batch:][:a.loop.Batch]
	for k := range samples {
		samples[k] = loadgen.QuerySample{
			ID: loadgen.ResponseID(a.first + i*a.loop.Batch + k), Index: loadgen.SampleIndex(k % a.loaded),
		}
	}
	q := &a.queries[i]
	q.clock = clock
	q.left.Store(int32(len(samples)))
	r.Status = measure.Cancelled
	r.Sent = clock.Now()
	if err := a.sut.IssueQuery(ctx, loadgen.Query{Samples: samples}, a); err != nil {
		a.stop(fmt.Errorf("query %d: %w", i, err))
		return
	}
	select {
	case <-q.done:
		r.End, r.Status = q.ended, measure.OK
	case <-ctx.Done():
	}
}

// QuerySamplesComplete implements loadgen.Responder.
func (a *asker) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	for _, r := range rs {
		i := (int(r.ID) - a.first) / a.loop.Batch
		if int(r.ID) < a.first || i >= len(a.queries) {
			a.stop(fmt.Errorf("an answer for sample %d, which was not asked for", r.ID))
			return
		}
		q := &a.queries[i]
		switch left := q.left.Add(-1); {
		case left < 0:
			a.stop(fmt.Errorf("sample %d of query %d was answered twice, or before it was asked for", r.ID, i))
			return
		case left == 0:
			q.ended = q.clock.Now()
			q.done <- struct{}{}
		}
	}
}

// FirstTokenComplete implements loadgen.Responder: first tokens are not measured.
func (a *asker) FirstTokenComplete([]loadgen.QuerySampleResponse) {}
