// Package closedloop measures a system under test without LoadGen: clients that each send one batch after the other and
// wait for each. It is how MLMark measures throughput and latency.
//
// In: loadgen's SUT and QSL. Out: times. Scores are made of them elsewhere.
package closedloop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

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
	warm := newSeries(sut, l, len(loaded), l.Concurrency, 0)
	if t.WarmUp, err = warm.run(ctx); err != nil {
		return t, err
	}
	timed := newSeries(sut, l, len(loaded), l.Iterations, l.Concurrency*l.Batch)
	t.Total, err = timed.run(ctx)
	t.Each = timed.each()
	return t, err
}

// series is a number of queries by all clients. It is the Responder of its queries.
type series struct {
	sut    loadgen.SUT
	loop   Loop
	loaded int // samples in memory
	first  int // response id of the first sample
	next   atomic.Int64
	events []event
	stop   context.CancelCauseFunc
}

// event is one query.
type event struct {
	began, ended time.Time
	left         atomic.Int32 // samples without an answer
	done         chan struct{}
}

func newSeries(sut loadgen.SUT, l Loop, loaded, queries, first int) *series {
	return &series{sut: sut, loop: l, loaded: loaded, first: first, events: make([]event, queries)}
}

// run makes the queries and returns how long they took together.
func (s *series) run(ctx context.Context) (time.Duration, error) {
	ctx, s.stop = context.WithCancelCause(ctx)
	defer s.stop(nil)
	began := time.Now()
	var clients sync.WaitGroup
	for range s.loop.Concurrency {
		clients.Go(func() {
			if err := s.client(ctx); err != nil {
				s.stop(err)
			}
		})
	}
	clients.Wait()
	return time.Since(began), context.Cause(ctx)
}

// client takes the next query until there is none.
func (s *series) client(ctx context.Context) error {
	samples := make([]loadgen.QuerySample, s.loop.Batch)
	done := make(chan struct{}, 1)
	for {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.events) || ctx.Err() != nil {
			return nil
		}
		for k := range samples {
			samples[k] = loadgen.QuerySample{
				ID: loadgen.ResponseID(s.first + i*s.loop.Batch + k), Index: loadgen.SampleIndex(k % s.loaded),
			}
		}
		e := &s.events[i]
		e.done = done
		e.left.Store(int32(len(samples)))
		e.began = time.Now()
		if err := s.sut.IssueQuery(ctx, loadgen.Query{Samples: samples}, s); err != nil {
			return fmt.Errorf("query %d: %w", i, err)
		}
		select {
		case <-done:
		case <-ctx.Done():
			return nil
		}
	}
}

// QuerySamplesComplete implements loadgen.Responder.
func (s *series) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	now := time.Now()
	for _, r := range rs {
		i := (int(r.ID) - s.first) / s.loop.Batch
		if int(r.ID) < s.first || i >= len(s.events) {
			s.stop(fmt.Errorf("an answer for sample %d, which was not asked for", r.ID))
			return
		}
		switch left := s.events[i].left.Add(-1); {
		case left < 0:
			s.stop(fmt.Errorf("sample %d of query %d was answered twice, or before it was asked for", r.ID, i))
			return
		case left == 0:
			s.events[i].ended = now
			s.events[i].done <- struct{}{}
		}
	}
}

// FirstTokenComplete implements loadgen.Responder: first tokens are not measured.
func (s *series) FirstTokenComplete([]loadgen.QuerySampleResponse) {}

// each are the times of the queries that were answered.
func (s *series) each() []time.Duration {
	var all []time.Duration
	for i := range s.events {
		if e := &s.events[i]; !e.ended.IsZero() {
			all = append(all, e.ended.Sub(e.began))
		}
	}
	return all
}
