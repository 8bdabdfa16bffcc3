// Package batch forms batches of queries as each scenario requires, runs them on a pool of sessions with back-pressure,
// and keeps the loaded samples.
//
// In scope: batch forming, the worker pool, the choice of batch size and number of sessions, loaded samples. Out of
// scope: tensors, payloads, the wire.
package batch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// queueSamples is the maximum number of waiting samples: four frames of an Offline query, so workers never wait for the
// stream. With the arrival times, they take 8 MiB.
const queueSamples = 512 << 10

// Worker processes one batch at a time in steps. Each worker has its own memory.
type Worker interface {
	// Collate writes the inputs of a batch. samples stays valid until Deliver returns.
	Collate(samples []loadgen.QuerySample) error
	// Run runs the model.
	Run(ctx context.Context) error
	// Deliver makes the payloads and answers each sample of the batch.
	Deliver() error
}

// Scheduler forms batches and runs them. After a failed batch it drops all later samples.
type Scheduler struct {
	policy BatchPolicy
	queue  *sampleQueue
	states []*workerState
	began  time.Time // origin of the samples' arrival times
	// permits limits the concurrent runs if there are more workers than sessions; otherwise nil.
	permits chan struct{}

	ctx     context.Context
	stop    context.CancelFunc
	workers sync.WaitGroup
	failing sync.Once
	fail    func(error)
}

// New starts a scheduler with policy.Workers workers made by newWorker. It calls fail once, with the first error or
// panic of a worker. It passes ctx to Run.
func New(ctx context.Context, p BatchPolicy, newWorker func() Worker, fail func(error)) *Scheduler {
	s := &Scheduler{policy: p, fail: fail, began: time.Now()}
	s.ctx, s.stop = context.WithCancel(ctx)
	if p.Inline {
		s.states = []*workerState{{worker: newWorker(), job: &WorkerJob{}}}
		return s
	}
	for range p.Workers {
		s.states = append(s.states, &workerState{worker: newWorker(), job: &WorkerJob{}})
	}
	s.queue = newQueue(max(queueSamples, 4*p.MaxBatch), p)
	if p.Workers > p.Sessions && !p.OwnTurns {
		s.permits = make(chan struct{}, p.Sessions)
	}
	for _, h := range s.states {
		s.workers.Go(func() { s.runWorker(h) })
	}
	return s
}

// Jobs returns the current work of each worker. The values stay valid as long as the scheduler.
func (s *Scheduler) Jobs() []*WorkerJob {
	all := make([]*WorkerJob, len(s.states))
	for i, h := range s.states {
		all[i] = h.job
	}
	return all
}

// now returns the time since the scheduler began.
func (s *Scheduler) now() int64 { return int64(time.Since(s.began)) }

// Submit passes samples to the workers and returns when they are queued or, with an inline policy, answered. more means
// that the query continues with the next call. It keeps no reference to samples. Calls must not overlap.
func (s *Scheduler) Submit(samples []loadgen.QuerySample, more bool) {
	if s.policy.Inline {
		s.runInline(samples)
		return
	}
	s.queue.push(samples, s.now(), s.batchLimit(len(samples)), more)
}

// batchLimit returns the maximum batch size for a query of n samples.
func (s *Scheduler) batchLimit(n int) int {
	if !s.policy.Split {
		return s.policy.MaxBatch
	}
	share := (n + s.policy.Sessions - 1) / s.policy.Sessions
	return max(1, min(share, s.policy.MaxBatch))
}

func (s *Scheduler) runInline(samples []loadgen.QuerySample) {
	for len(samples) > 0 && s.ctx.Err() == nil {
		n := min(len(samples), s.policy.MaxBatch)
		s.runBatch(s.states[0], samples[:n], nil)
		samples = samples[n:]
	}
}

// Flush runs samples that were held back for batching.
func (s *Scheduler) Flush() {
	if s.queue != nil {
		s.queue.flush()
	}
}

// Stop drops queued samples and ends the context of the batches in progress. Later samples are dropped.
func (s *Scheduler) Stop() {
	s.stop()
	if s.queue != nil {
		s.queue.close()
	}
}

// Close stops the scheduler and waits for the batches in progress. With an inline policy no Submit may be in progress.
func (s *Scheduler) Close() {
	s.Stop()
	s.workers.Wait()
}

func (s *Scheduler) runWorker(h *workerState) {
	samples, arrived := make([]loadgen.QuerySample, s.policy.MaxBatch), make([]int64, s.policy.MaxBatch)
	for {
		n := s.queue.takeBatch(samples, arrived)
		if n == 0 || !s.runBatch(h, samples[:n], arrived[:n]) {
			return
		}
	}
}

// runBatch processes one batch in a worker and reports whether it succeeded.
func (s *Scheduler) runBatch(h *workerState, samples []loadgen.QuerySample, arrived []int64) bool {
	err := s.tryBatch(h, samples, arrived)
	if err == nil {
		return true
	}
	s.failing.Do(func() {
		if s.ctx.Err() == nil { // a failure after the stop is not reported
			s.fail(err)
		}
		s.Stop()
	})
	return false
}

func (s *Scheduler) tryBatch(h *workerState, samples []loadgen.QuerySample, arrived []int64) (err error) {
	h.job.beginBatch(samples)
	defer h.job.enterStage(idle)
	defer RecoverPanic(&err, h.job.String)
	if err := h.worker.Collate(samples); err != nil {
		return fmt.Errorf("collate %s: %w", describeSamples(samples), err)
	}
	if err := s.runModel(h, len(samples), arrived); err != nil {
		return fmt.Errorf("run %s: %w", describeSamples(samples), err)
	}
	h.job.enterStage(delivering)
	if err := h.worker.Deliver(); err != nil {
		return fmt.Errorf("postprocess %s: %w", describeSamples(samples), err)
	}
	return nil
}

// runModel runs the model for a batch of n samples.
func (s *Scheduler) runModel(h *workerState, n int, arrived []int64) error {
	if s.permits != nil {
		h.job.enterStage(queueing)
		s.permits <- struct{}{}
		defer func() { <-s.permits }()
	}
	h.job.enterStage(running)
	if s.policy.Inline { // reading the clock twice would take a twentieth of the shortest query
		h.countBatch(n)
		return h.worker.Run(s.ctx)
	}
	begin := s.now()
	if err := h.worker.Run(s.ctx); err != nil {
		return err
	}
	h.countBatch(n)
	h.addTimes(n, arrived, begin, s.now())
	return nil
}

// describeSamples describes the samples of a batch for messages.
func describeSamples(samples []loadgen.QuerySample) string {
	return describeFrom(len(samples), samples[0].Index)
}

// describeFrom describes n samples from the index first on.
func describeFrom(n int, first loadgen.SampleIndex) string {
	if n == 1 {
		return fmt.Sprintf("sample %d", first)
	}
	return fmt.Sprintf("%d samples from sample %d on", n, first)
}
