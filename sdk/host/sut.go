package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// chunkSamples is how many samples one frame holds at most.
const chunkSamples = wire.ChunkBytes / 8

// sut issues queries over the stream: a loadgen.SUT and loadgen.Warmer.
//
// While nothing is outstanding the issuing goroutine sends by itself, which spares a hand-over. While the plugin is at
// work samples are queued, and a sender sends all that is queued at that moment as one frame.
type sut struct {
	workload  *Workload
	responder atomic.Pointer[loadgen.Responder]
	alone     bool         // one query at a time: the issuing goroutine may look for the answer itself
	wanted    func() bool  // outstanding, made a value once
	network   *networkName // of a run of the network division; nil: it is none
	order     *order       // of the workload's own; nil: samples are those that LoadGen draws
	stopped   chan struct{}

	_       apart         // below: what issuing writes
	issued  atomic.Uint64 // samples, less those that a context's end kept from being sent
	base    atomic.Uint64 // issued before the test under way, whose ids start at 0
	mu      sync.Mutex
	changed sync.Cond
	queued  []loadgen.QuerySample
	spare   []loadgen.QuerySample
	busy    bool // the sender is sending
	flush   bool
	closed  bool
	err     error

	_        apart         // below: what receiving writes
	answered atomic.Uint64 // distinct samples
	answers  answered      // belongs to the goroutine that receives
	beat     atomic.Pointer[Heartbeat]
	_        apart
}

// apart keeps what one core writes at each query out of the cache lines that another one writes; lines are fetched in
// pairs of 64 bytes.
type apart [128]byte

func newSUT(w *Workload, scenario loadgen.Scenario, network bool) *sut {
	s := &sut{workload: w, stopped: make(chan struct{})}
	s.order = newOrder(w.info.Order)
	if network {
		s.network = &networkName{ask: w.nodeNames}
	}
	s.alone = scenario == loadgen.SingleStream || scenario == loadgen.MultiStream
	s.wanted = s.outstanding
	s.changed.L = &s.mu
	go s.sendQueued()
	return s
}

// Name names the model and the backend; in the network division also the nodes, which are asked at each call.
func (s *sut) Name() string {
	info := s.workload.info
	name := fmt.Sprintf("Plumbline %s (%s)", info.Model, info.Backend)
	if s.network == nil {
		return name
	}
	return s.network.of(name)
}

func (s *sut) number() uint64 { return s.workload.number }

// WarmUp runs the model untimed.
func (s *sut) WarmUp(ctx context.Context) error {
	_, err := watchedCall(ctx, s.workload.plugin, "warm up", s.workload.plugin.rpc.WarmUp, &pluginpb.WarmUpRequest{})
	return err
}

// IssueQuery sends or queues the samples of q. A query of more than one frame is sent as the plugin takes it in,
// until ctx ends; its samples must then stay as they are.
func (s *sut) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if len(q.Samples) == 0 {
		return nil
	}
	if p := s.responder.Load(); p == nil || *p != r {
		if err := s.network.fault(); err != nil {
			return err
		}
		s.answerTo(r)
	}
	q.Samples = s.order.handOut(q.Samples)
	idle := s.issued.Load() == s.answered.Load()
	if q.Samples[0].ID == 0 {
		s.base.Store(s.issued.Load())
	}
	s.issued.Add(uint64(len(q.Samples)))
	if s.alone && idle && len(q.Samples) <= chunkSamples && s.workload.plugin.ring.begin() {
		defer s.workload.plugin.ring.finish(s.wanted)
	}
	if idle || len(q.Samples) > chunkSamples {
		return s.sendNow(ctx, q.Samples)
	}
	return s.enqueue(q.Samples)
}

// outstanding reports whether something was issued that is not answered.
func (s *sut) outstanding() bool { return s.issued.Load() != s.answered.Load() }

// missing is how many samples are issued and not answered.
func (s *sut) missing() uint64 { return s.issued.Load() - s.answered.Load() }

// answersLook is how often awaitAnswers looks.
const answersLook = time.Millisecond

// awaitAnswers waits until everything that was issued is answered.
func (s *sut) awaitAnswers(ctx context.Context) error {
	ctx, cancel := s.workload.plugin.Context(ctx)
	defer cancel()
	for s.outstanding() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(answersLook):
		}
	}
	return nil
}

// answerTo is apart from IssueQuery, which would allocate r at each call.
func (s *sut) answerTo(r loadgen.Responder) { s.responder.Store(&r) }

// sendNow sends samples from the caller's goroutine; those of several frames from another one, so that the end of ctx
// is seen while a plugin that is behind has no room for a frame. That frame goes out later, at the latest when the
// workload is closed.
func (s *sut) sendNow(ctx context.Context, samples []loadgen.QuerySample) error {
	if len(samples) <= chunkSamples {
		if ctx.Err() != nil {
			s.takeBack(len(samples))
			return context.Cause(ctx)
		}
		return s.send(samples, false)
	}
	sent := make(chan error, 1)
	go func() { sent <- s.sendFrames(ctx, samples) }()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-sent: // all of it, or what failed: both say more
		return err
	default:
		return context.Cause(ctx)
	}
}

// sendFrames sends samples until ctx ends. The plugin is then told that no more of them come: it answers those it has.
func (s *sut) sendFrames(ctx context.Context, samples []loadgen.QuerySample) error {
	for len(samples) > 0 {
		if ctx.Err() != nil {
			s.takeBack(len(samples))
			return errors.Join(context.Cause(ctx), s.sendFlush())
		}
		n := min(len(samples), chunkSamples)
		if err := s.send(samples[:n], n < len(samples)); err != nil {
			return err
		}
		samples = samples[n:]
	}
	return nil
}

// takeBack counts n samples as not issued.
func (s *sut) takeBack(n int) { s.issued.Add(-uint64(n)) }

// send sends one frame. gRPC encodes it before Send returns, so that samples may be reused.
func (s *sut) send(samples []loadgen.QuerySample, more bool) error {
	return s.workload.plugin.link.issue(s.number(), samples, more)
}

func (s *sut) enqueue(samples []loadgen.QuerySample) error {
	s.mu.Lock()
	s.queued = append(s.queued, samples...)
	busy, err := s.busy, s.err
	s.mu.Unlock()
	if !busy {
		s.changed.Signal()
	}
	return err
}

// FlushQueries asks the plugin for what it holds back, behind all that was issued.
func (s *sut) FlushQueries(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush = true
	s.changed.Signal()
	return s.err
}

// sendQueued sends what is queued, all of it at a time, until the workload is closed.
func (s *sut) sendQueued() {
	defer close(s.stopped)
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.closed && s.err == nil {
		if len(s.queued) == 0 && !s.flush {
			s.busy = false
			s.changed.Wait()
			continue
		}
		s.busy = true
		samples, flush := s.queued, s.flush
		s.queued, s.spare, s.flush = s.spare[:0], samples, false
		s.mu.Unlock()
		err := s.sendAll(samples, flush)
		s.mu.Lock()
		s.err = err
	}
}

func (s *sut) sendAll(samples []loadgen.QuerySample, flush bool) error {
	for len(samples) > 0 {
		n := min(len(samples), chunkSamples)
		if err := s.send(samples[:n], false); err != nil {
			return err
		}
		samples = samples[n:]
	}
	if flush {
		return s.sendFlush()
	}
	return nil
}

func (s *sut) sendFlush() error {
	return s.workload.plugin.link.send(&pluginpb.RunRequest{Flush: &pluginpb.Flush{}, Workload: s.number()})
}

// close ends the sender. A frame under way goes out first.
func (s *sut) close() {
	s.mu.Lock()
	s.closed = true
	s.changed.Signal()
	s.mu.Unlock()
	<-s.stopped
}

// complete hands answers to LoadGen and counts the distinct ones.
func (s *sut) complete(rs []loadgen.QuerySampleResponse) {
	r := s.responder.Load()
	if r == nil {
		return
	}
	// Counted first: LoadGen may issue the next query before the call returns.
	base := s.base.Load()
	s.answers.begin(base)
	s.answers.add(rs, s.issued.Load()-base)
	s.answered.Store(base + s.answers.count)
	(*r).QuerySamplesComplete(rs)
}

func (s *sut) firstTokens(rs []loadgen.QuerySampleResponse) {
	if r := s.responder.Load(); r != nil {
		(*r).FirstTokenComplete(rs)
	}
}

// check finds answers that the plugin believes to have sent. The heartbeat follows the answers it counts, so that an
// idle plugin has none under way.
func (s *sut) check(h *pluginpb.Heartbeat) error {
	s.beat.Store(&Heartbeat{Number: s.workload.Heartbeat().Number + 1, Received: h.GetReceived(),
		Answered: h.GetAnswered()})
	issued := s.issued.Load()
	if h.GetReceived() != issued || h.GetAnswered() < h.GetReceived() {
		return nil
	}
	if answered := s.answered.Load(); answered < issued {
		return fmt.Errorf("%d of %d issued samples were not answered, the first with response id %d, and the plugin has no "+
			"work left",
			issued-answered, issued, s.answers.firstMissing())
	}
	return nil
}
